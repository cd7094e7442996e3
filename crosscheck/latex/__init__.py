"""LaTeX as far as tables and sentences need it: tokens, macros, environments, plain text."""
