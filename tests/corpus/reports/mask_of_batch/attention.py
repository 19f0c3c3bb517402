import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x, mask_fn):
        q, k, v = self.qkv(x).chunk(3, -1)
        place = torch.arange(x.shape[1])
        keep = mask_fn(place[:, None], place[None, :])
        scores = q @ k.transpose(1, 2)
        return scores.masked_fill(~keep, float("-inf")).softmax(-1) @ v
