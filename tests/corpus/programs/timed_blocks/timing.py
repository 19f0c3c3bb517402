"""Where the time goes: a decorator for methods."""

import time
from collections import defaultdict
from functools import wraps

SECONDS = defaultdict(float)


def timed(label):
    def decorate(method):
        @wraps(method)
        def wrapper(self, *arguments, **options):
            began = time.perf_counter()
            result = method(self, *arguments, **options)
            SECONDS[label] += time.perf_counter() - began
            return result

        return wrapper

    return decorate
