"""Encode, process, decode; what the inputs do not tell of a run is in a code of its own."""

import torch
from torch import nn

CODE_GRADIENT = 1e-3


def bounded(grad):
    """Codes of few runs see large gradients at first."""
    norm = grad.norm()
    if norm > CODE_GRADIENT:
        grad = grad * (CODE_GRADIENT / norm)
    return grad


def mlp(inp, out, hidden=24):
    return nn.Sequential(nn.Linear(inp, hidden), nn.SiLU(), nn.Linear(hidden, out))


class Processor(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.edge, self.node = mlp(3 * width, width), mlp(2 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, h, e, edges):
        source, target = edges
        e = e + self.edge(torch.cat([h[:, source], h[:, target], e], -1))
        gathered = torch.zeros_like(h).index_add(1, target, e)
        return h + self.norm(self.node(torch.cat([h, gathered], -1))), e


class PlumeNet(nn.Module):
    def __init__(self, pos, edges, runs, width=16, code=6, rounds=1):
        super().__init__()
        self.register_buffer("pos", pos)
        self.register_buffer("edges", edges)
        self.codes = nn.Embedding(runs, code)
        nn.init.normal_(self.codes.weight, std=0.01)
        self.codes.weight.register_hook(bounded)
        self.encode_node, self.encode_edge = mlp(2 + 2 + code, width), mlp(3, width)
        self.rounds = nn.ModuleList(Processor(width) for _ in range(rounds))
        self.decode = mlp(width, 1)

    def forward(self, wind, run):
        nodes = self.pos.shape[0]
        given = torch.cat([wind, self.codes(run)], 1).unsqueeze(1).expand(-1, nodes, -1)
        where = self.pos.expand(len(run), -1, -1)
        h = self.encode_node(torch.cat([where, given], -1))
        source, target = self.edges
        offset = self.pos[target] - self.pos[source]
        e = self.encode_edge(torch.cat([offset, offset.norm(dim=1, keepdim=True)], 1))
        e = e.expand(len(run), -1, -1)
        for round_ in self.rounds:
            h, e = round_(h, e, self.edges)
        return self.decode(h).squeeze(-1)

    def split_parameters(self):
        dense = [p for name, p in self.named_parameters() if not name.startswith("codes.")]
        return dense, list(self.codes.parameters())
