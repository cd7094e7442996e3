"""The report of a run: one model, one file per format."""
