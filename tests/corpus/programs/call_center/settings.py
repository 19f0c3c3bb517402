"""What the model and its training share."""

HORIZON = 12
WIDTH = 18
SMOOTHNESS = 0.0
