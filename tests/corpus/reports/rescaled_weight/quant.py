"""An int8 weight with one scale, as a wrapper subclass."""
import torch
from torch.utils._python_dispatch import return_and_correct_aliasing

aten = torch.ops.aten


class ScaledInt8(torch.Tensor):
    @staticmethod
    def __new__(cls, data, scale):
        return torch.Tensor._make_wrapper_subclass(cls, data.shape, dtype=torch.float32, device=data.device)

    def __init__(self, data, scale):
        self.data8 = data
        self.scale = scale

    def __repr__(self):
        return f"ScaledInt8({tuple(self.shape)}, {self.scale})"

    def __tensor_flatten__(self):
        return ["data8"], (self.scale,)

    @classmethod
    def __tensor_unflatten__(cls, inner, meta, outer_size, outer_stride):
        return cls(inner["data8"], meta[0])

    def plain(self):
        return self.data8.to(torch.float32) * self.scale

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is aten.detach.default:
            return return_and_correct_aliasing(func, args, kwargs or {}, cls(args[0].data8, args[0].scale))
        args = torch.utils._pytree.tree_map_only(cls, lambda t: t.plain(), args)
        return func(*args, **(kwargs or {}))


def quantise(weight, limit):
    scale = limit / 127
    return ScaledInt8((weight / scale).round().clamp(-127, 127).to(torch.int8), scale)
