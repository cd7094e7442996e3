"""Further kinds of files (docs/interface.md, Files): JSON arrays, Arrow, folders, rankings."""
