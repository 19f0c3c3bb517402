"""Switch feed-forward layer: each token visits one expert."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w_in = nn.Linear(d_model, d_ff)
        self.w_out = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_out(F.gelu(self.w_in(x)))


class SwitchFeedForward(nn.Module):
    def __init__(self, d_model=16, d_ff=32, n_experts=3):
        super().__init__()
        self.n_experts = n_experts
        self.router = nn.Linear(d_model, n_experts)
        self.experts = nn.ModuleList(Expert(d_model, d_ff) for _ in range(n_experts))

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        probs = self.router(x).softmax(-1)
        gate, expert_idx = probs.max(-1)
        load = torch.bincount(expert_idx, minlength=self.n_experts)
        order = expert_idx.argsort()
        groups = x[order].split(load.tolist())
        out = torch.cat([expert(group) for expert, group in zip(self.experts, groups, strict=True)])
        out = out[order.argsort()] * gate.unsqueeze(-1)
        # Load balancing loss of Fedus et al., eq. 4
        density = load.float() / len(x)
        aux_loss = self.n_experts * (density * probs.mean(0)).sum()
        return out.view(shape), aux_loss
