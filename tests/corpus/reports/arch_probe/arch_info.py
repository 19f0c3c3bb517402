import functools
import os


@functools.lru_cache(maxsize=1)
def get_arch():
    """name of the machine, for choosing block sizes"""
    return os.uname().machine
