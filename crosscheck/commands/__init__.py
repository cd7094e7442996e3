"""One file per command; `crosscheck.cli` loads a file only when its command is called."""
