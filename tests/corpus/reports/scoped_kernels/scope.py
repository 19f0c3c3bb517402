import functools

import torch


def stage(name):
    """names a stage in the profiler and compiles it"""

    def decorate(fn):
        def scoped(*args):
            with torch.profiler.record_function(name):
                return fn(*args)

        return functools.wraps(fn)(torch.compile(scoped, backend="aot_eager"))

    return decorate
