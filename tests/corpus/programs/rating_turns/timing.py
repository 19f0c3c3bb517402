"""A decorator that every function of the engine wears."""

import functools
import time

SPENT = {}


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        begin = time.perf_counter()
        result = function(*args, **kwargs)
        SPENT[function.__name__] = SPENT.get(function.__name__, 0.0) + time.perf_counter() - begin
        return result

    return wrapper
