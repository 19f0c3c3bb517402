import torch
from torch import nn


class LocalGatedAttention(nn.Module):
    def __init__(self, dim, max_dis):
        super().__init__()
        self.max_dis = max_dis
        self.qk = nn.Linear(dim, 2 * dim)
        self.gate = nn.Linear(dim, dim)
        self.qk_mask = None
        self.last_size = None

    def build_mask(self, n):
        idx = torch.arange(n)
        near = (idx[:, None] - idx[None]).abs() <= self.max_dis
        return torch.zeros(n, n).masked_fill(~near, float("-inf"))

    @torch.compile(dynamic=True, backend="aot_eager")
    def forward(self, x):
        n = x.shape[0]
        if self.qk_mask is None or self.last_size != n:
            self.qk_mask = self.build_mask(n)
            self.last_size = n
        q, k = self.qk(x).chunk(2, dim=-1)
        att = (q @ k.t() + self.qk_mask).softmax(-1)
        return att @ (x * torch.sigmoid(self.gate(x)))
