import torch
from torch import nn
from torch.nn import functional as F

from once import log_once


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x):
        if not torch.compiler.is_compiling():
            log_once("attention: scaled dot product, width %d" % x.shape[-1])
        q, k, v = self.qkv(x).chunk(3, -1)
        return F.scaled_dot_product_attention(q, k, v)
