"""What every module may look at."""

PHASE = {"name": "coarse", "rings": 2}
SMOOTHING = 0.3


def advance():
    global SMOOTHING
    SMOOTHING /= 2
    PHASE["rings"] += 1
