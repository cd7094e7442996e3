"""Diagnosis: which definition or mistake gives a claimed value."""
