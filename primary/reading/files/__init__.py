"""Each kind of file, and which of its columns are wanted (docs/interface.md, Files)."""
