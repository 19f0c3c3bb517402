"""Counts how often functions are called."""

import functools


def counted(function):
    @functools.wraps(function)
    def counting(*arguments):
        counting.calls += 1
        return function(*arguments)

    counting.calls = 0
    return counting
