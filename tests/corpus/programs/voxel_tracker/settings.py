"""Settings of a run, shared by its modules."""

GRID = 8
SHARPNESS = 1


def sharpen(by=2):
    global SHARPNESS
    SHARPNESS += by
