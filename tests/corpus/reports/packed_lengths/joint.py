import math

import torch
from torch import nn


class JointBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * width, bias=False)
        self.out = nn.Linear(width, width)

    def attend(self, q, k, v, keep, longest):
        scores = q @ k.transpose(1, 2) / math.sqrt(longest)
        scores = scores.masked_fill(~keep, -1e4)
        return scores.softmax(-1) @ v

    def forward(self, video, text, packed):
        both = torch.cat([video, text], dim=1)
        k, v = self.kv(both).chunk(2, dim=-1)
        seen = torch.ones(1, video.shape[1], dtype=torch.bool)
        keep = torch.cat([seen, packed["valid"]], dim=1)[:, None]
        mixed = self.attend(self.q(video), k, v, keep, packed["longest"])
        return self.out(mixed)
