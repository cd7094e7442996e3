"""What becomes of a claim: whose number it is, and how it compares with what was computed."""
