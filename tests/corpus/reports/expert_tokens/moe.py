import torch
import torch.nn.functional as F
from torch import nn


@torch.compile(backend="aot_eager")
def run_expert(x, w1, w2, w3):
    return (F.silu(x @ w1) * (x @ w3)) @ w2


class MoE(nn.Module):
    def __init__(self, dim, hidden, num_experts):
        super().__init__()
        self.w1 = nn.ParameterList([torch.randn(dim, hidden) * 0.1 for _ in range(num_experts)])
        self.w2 = nn.ParameterList([torch.randn(hidden, dim) * 0.1 for _ in range(num_experts)])
        self.w3 = nn.ParameterList([torch.randn(dim, hidden) * 0.1 for _ in range(num_experts)])

    def forward(self, x, tokens_per_expert):
        out = []
        for e, xe in enumerate(torch.split(x, tokens_per_expert)):
            out.append(run_expert(xe, self.w1[e], self.w2[e], self.w3[e]))
        return torch.cat(out)
