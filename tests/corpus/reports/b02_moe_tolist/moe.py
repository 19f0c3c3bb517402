import torch
import torch.nn as nn
import torch.nn.functional as F


class Experts(nn.Module):
    def __init__(self, n, dim, hidden):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(n, dim, hidden) * dim**-0.5)
        self.w2 = nn.Parameter(torch.randn(n, hidden, dim) * hidden**-0.5)

    def forward(self, x, num_tokens_per_expert):
        counts = num_tokens_per_expert.tolist()
        outs = []
        for i, part in enumerate(torch.split(x, counts)):
            outs.append(F.silu(part @ self.w1[i]) @ self.w2[i])
        return torch.cat(outs)


class MoE(nn.Module):
    def __init__(self, dim=16, hidden=24, experts=4):
        super().__init__()
        self.n = experts
        self.router = nn.Linear(dim, experts, bias=False)
        self.experts = Experts(experts, dim, hidden)

    def forward(self, x):
        probs = self.router(x).softmax(-1)
        gate, chosen = probs.max(-1)
        order = torch.argsort(chosen, stable=True)
        counts = torch.zeros(self.n, dtype=torch.long).scatter_add_(0, chosen, torch.ones_like(chosen))
        y = self.experts(x[order], counts)
        out = torch.zeros_like(x).index_copy(0, order, y)
        return out * gate[:, None], counts
