"""From any input to checked data; whatever is wrong with it is told at once."""
