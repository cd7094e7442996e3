"""What was read, as every metric family sees it: rows, lists of ids, decisions and slices."""
