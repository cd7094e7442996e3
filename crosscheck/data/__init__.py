"""The data as the harness sees them: cases, rows and slices, raw columns, samples."""
