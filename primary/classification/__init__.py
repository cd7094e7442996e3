"""Labels and probabilities: two classes, their calibration and states, several classes."""
