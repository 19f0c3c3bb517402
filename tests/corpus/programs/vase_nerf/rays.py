"""Rays through a vase, and what colour a true renderer gives them."""

import torch


def camera(angle, resolution):
    s = torch.linspace(-0.6, 0.6, resolution)
    v, u = torch.meshgrid(s, s, indexing="ij")
    directions = torch.stack([u, v, torch.ones_like(u)], dim=-1).reshape(-1, 3)
    directions = directions / directions.norm(dim=-1, keepdim=True)
    c, s = torch.cos(angle), torch.sin(angle)
    zero, one = torch.zeros(()), torch.ones(())
    turn = torch.stack([c, zero, s, zero, one, zero, -s, zero, c]).view(3, 3)
    origin = turn @ torch.tensor([0.0, 0.0, -2.0])
    return origin.expand(len(directions), 3), directions @ turn.T


def truth(origins, directions):
    """White background, and a vase whose radius depends on the height."""
    t = -(origins * directions).sum(-1, keepdim=True)
    nearest = origins + t * directions
    radius = 0.45 + 0.15 * torch.sin(4 * nearest[:, 1:2])
    inside = torch.sigmoid(20 * (radius - nearest[:, [0, 2]].norm(dim=-1, keepdim=True)))
    paint = 0.5 + 0.5 * torch.sin(3 * nearest + torch.tensor([0.0, 2.0, 4.0]))
    return inside * paint + (1 - inside)


class RayBank:
    def __init__(self, views=6, resolution=14, seed=0):
        angles = torch.linspace(0, 5.2, views)
        pairs = [camera(angle, resolution) for angle in angles]
        self.origins = torch.cat([o for o, _ in pairs])
        self.directions = torch.cat([d for _, d in pairs])
        self.colours = truth(self.origins, self.directions)
        self.generator = torch.Generator().manual_seed(seed)

    def sample(self, count):
        chosen = torch.randint(0, len(self.origins), (count,), generator=self.generator)
        return self.origins[chosen], self.directions[chosen], self.colours[chosen]
