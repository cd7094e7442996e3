"""One file per format: from a file's text to grids of plain text, or to labelled values."""
