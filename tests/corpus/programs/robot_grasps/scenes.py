"""Simulated scenes with grasps and whether each held."""

from typing import NamedTuple

import torch


class Scene(NamedTuple):
    cloud: torch.Tensor
    grasps: torch.Tensor
    held: torch.Tensor


class Simulator:
    def __init__(self, scenes=4, points=30, grasps=9, seed=8):
        self.shape = scenes, points, grasps
        self.generator = torch.Generator().manual_seed(seed)

    def __iter__(self):
        return self

    def __next__(self):
        scenes, points, grasps = self.shape
        cloud = torch.randn(scenes, points, 3, generator=self.generator)
        poses = torch.randn(scenes, grasps, 7, generator=self.generator)
        reach = (poses[..., :3] - cloud.mean(1, keepdim=True)).norm(dim=-1)
        return Scene(cloud, poses, (reach < 1.5).float())
