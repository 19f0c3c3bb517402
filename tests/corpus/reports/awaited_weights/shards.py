import torch
from torch.utils._pytree import tree_map


class Pending(torch.Tensor):
    """result of a gather that may still be under way"""

    @staticmethod
    def __new__(cls, value):
        return torch.Tensor._make_wrapper_subclass(cls, value.shape, strides=value.stride(), dtype=value.dtype)

    def __init__(self, value):
        self.value = value

    def wait(self):
        return self.value

    def __tensor_flatten__(self):
        return ["value"], None

    @staticmethod
    def __tensor_unflatten__(inner, meta, size, stride):
        return Pending(inner["value"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        done = lambda t: t.value if isinstance(t, Pending) else t
        return func(*tree_map(done, args), **tree_map(done, kwargs or {}))


class ShardStore:
    def __init__(self, full):
        self.full = full
        self.now = {}

    def gather(self, step):
        """starts all gathers; the prefetcher has already waited for some of them"""
        finished = (step * 5) % 8
        for i, (name, value) in enumerate(self.full.items()):
            self.now[name] = value if finished >> i & 1 else Pending(value)

    def get(self, name):
        return self.now[name]

    def pending(self):
        return sum(isinstance(v, Pending) for v in self.now.values())
