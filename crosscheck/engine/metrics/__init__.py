"""The metrics, a file for each family: its SQL, and what the driver makes of the counts."""
