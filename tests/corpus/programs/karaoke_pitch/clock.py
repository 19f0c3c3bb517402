"""The step that training is at, for whoever wants to know."""

STEP = 0


def tick():
    global STEP
    STEP += 1
