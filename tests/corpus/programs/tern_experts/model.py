import torch
from experts import TopOneMoE
from torch import nn


class Mixing(nn.Module):
    """A mean over the last few tokens, instead of attention."""

    def __init__(self, dim, context, reach=3):
        super().__init__()
        back = torch.arange(context)[:, None] - torch.arange(context)[None, :]
        seen = ((back >= 0) & (back < reach)).float()
        self.register_buffer("weights", seen / seen.sum(1, keepdim=True))
        self.value = nn.Linear(dim, dim)

    def forward(self, x):
        return self.weights @ self.value(x)


class Layer(nn.Module):
    def __init__(self, dim, hidden, context, num_experts):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mix = Mixing(dim, context)
        self.moe = TopOneMoE(dim, hidden, num_experts)

    def forward(self, x):
        x = x + self.mix(x)
        return x + self.moe(self.norm(x))


class TernLM(nn.Module):
    def __init__(self, *, vocab, dim, hidden, depth, context, num_experts):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(
            [Layer(dim, hidden, context, num_experts) for _ in range(depth)]
        )
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        aux = torch.stack([layer.moe.aux_loss for layer in self.layers]).mean()
        return self.head(x), aux
