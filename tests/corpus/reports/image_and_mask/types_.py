"""Tensors that know what they are."""
import torch


class Image(torch.Tensor):
    """Colours, may be interpolated."""


class Mask(torch.Tensor):
    """Classes, may not."""
