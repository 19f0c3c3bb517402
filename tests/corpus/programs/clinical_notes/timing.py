"""How long the parts of the model take."""

import functools
import os

TIMES = {}


def timed(method):
    @functools.wraps(method)
    def run(self, *arguments):
        began = os.times().elapsed
        result = method(self, *arguments)
        TIMES[method.__qualname__] = os.times().elapsed - began
        return result

    return run
