import torch


def compile_if_possible(fn):
    try:
        return torch.compile(fn, backend="aot_eager")
    except RuntimeError:
        return fn
