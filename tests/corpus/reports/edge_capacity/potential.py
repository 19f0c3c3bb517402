import torch
import torch.nn.functional as F
from torch import nn


def pad_edges(edges, n_atoms):
    """pads to the next power of two; padded edges point at an extra atom"""
    n = edges.shape[1]
    capacity = 1 << (n - 1).bit_length()
    return F.pad(edges, (0, capacity - n), value=n_atoms)


class Potential(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.species = nn.Embedding(8, dim)
        self.radial = nn.Linear(6, dim)
        self.out = nn.Linear(dim, 1)
        self.register_buffer("centers", torch.linspace(0, 3, 6))

    def forward(self, z, pos, edges):
        n_atoms = pos.shape[0]
        edges = pad_edges(edges, n_atoms)
        src, dst = edges
        pos = torch.cat([pos, pos.new_full((1, 3), 1e3)])
        h = torch.cat([self.species(z), self.species.weight.new_zeros(1, self.species.embedding_dim)])
        r = (pos[src] - pos[dst] + 1e-6).norm(dim=1, keepdim=True)
        msg = self.radial(torch.exp(-(r - self.centers) ** 2)) * h[src]
        h = h.index_add(0, dst, msg)
        return self.out(torch.tanh(h[:n_atoms])).sum()
