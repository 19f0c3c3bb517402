"""State of the run that the layers may look at."""

EPOCH = 0
STEP = 0


def advance():
    global STEP
    STEP += 1


def begin(epoch):
    global EPOCH
    EPOCH = epoch
