import torch
from torch.utils._python_dispatch import return_and_correct_aliasing


class Quantized(torch.Tensor):
    """Codes, an optional scale, and the number of bits."""

    @staticmethod
    def __new__(cls, codes, scale, bits):
        return torch.Tensor._make_wrapper_subclass(
            cls, codes.size(), strides=codes.stride(), dtype=codes.dtype, device=codes.device)

    def __init__(self, codes, scale, bits):
        self.codes = codes
        self.scale = scale
        self.bits = bits

    @classmethod
    def pack(cls, values, scale, bits):
        levels = 2 ** (bits - 1) - 1
        if scale is None:
            return cls((values * levels).round() / levels, None, bits)
        return cls((values / scale * levels).round() / levels, scale, bits)

    def __tensor_flatten__(self):
        names = ["codes"] if self.scale is None else ["codes", "scale"]
        return names, self.bits

    @staticmethod
    def __tensor_unflatten__(inner, bits, size, stride):
        return Quantized(inner["codes"], inner.get("scale"), bits)

    def unpack(self):
        return self.codes if self.scale is None else self.codes * self.scale

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs=None):
        plain = [a.unpack() if isinstance(a, Quantized) else a for a in args]
        return return_and_correct_aliasing(func, args, kwargs or {}, func(*plain, **(kwargs or {})))
