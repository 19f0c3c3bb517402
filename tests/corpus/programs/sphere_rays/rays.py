"""Rays through the pixels of pictures of a sphere."""

import torch


def camera_rays(height, width, focal, origin):
    i, j = torch.meshgrid(torch.arange(width), torch.arange(height), indexing="xy")
    directions = torch.stack(
        [(i - width / 2) / focal, -(j - height / 2) / focal, -torch.ones_like(i)], dim=-1
    )
    directions = directions.reshape(-1, 3).float()
    return origin.expand_as(directions), directions / directions.norm(dim=1, keepdim=True)


class RayBank:
    """All rays of all pictures, shuffled whenever they run out."""

    def __init__(self, pictures, height, width, chunk):
        self.chunk = chunk
        origins = torch.randn(pictures, 3) * 0.1 + torch.tensor([0.0, 0.0, 3.0])
        rays = [camera_rays(height, width, 10.0, origin) for origin in origins]
        self.origins = torch.cat([o for o, _ in rays])
        self.directions = torch.cat([d for _, d in rays])
        closest = torch.linalg.cross(self.origins, self.directions).norm(dim=1)
        self.colors = (closest < 1).float().unsqueeze(1) * torch.tensor([0.9, 0.4, 0.1])

    def __iter__(self):
        while True:
            for picked in torch.randperm(len(self.origins)).split(self.chunk):
                yield self.origins[picked], self.directions[picked], self.colors[picked]
