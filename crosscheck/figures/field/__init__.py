"""Figures of the field: grades, several classes, seeds, declared slices."""
