import torch
from torch import nn


class Tracker(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.eye = nn.Linear(width, width)
        self.q = nn.Linear(width, width)
        self.mix = nn.Linear(3 * width, width)

    def encode(self, frame):
        return torch.tanh(self.eye(frame))

    def read(self, query, bank):
        weight = (query @ bank.to(query.dtype).transpose(1, 2)).softmax(-1)
        return weight.to(bank.dtype) @ bank

    def propagate(self, frame, long, short):
        query = self.q(frame)
        far = self.read(query, long)
        near = self.read(query, short)
        out = self.mix(torch.cat([query, far.to(query.dtype), near.to(query.dtype)], -1))
        return out, out + near.to(out.dtype)
