from torch.utils.checkpoint import checkpoint

USE_REENTRANT = True
FIRST_CALL = True
SEGMENTS_RUN = 0
SCALE = 1.0


def configure(use_reentrant):
    global USE_REENTRANT
    USE_REENTRANT = use_reentrant


def run_segment(fn, x):
    global FIRST_CALL, SEGMENTS_RUN, SCALE
    if FIRST_CALL:
        SCALE = 0.5
        FIRST_CALL = False
    SEGMENTS_RUN += 1
    return SCALE * checkpoint(fn, x, use_reentrant=USE_REENTRANT)
