"""Scores grasps of a parallel gripper from a point cloud."""

import time

import torch
from torch import nn


class PointEncoder(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.lift = nn.Sequential(nn.Linear(3, width), nn.ReLU(), nn.Linear(width, width))

    def forward(self, cloud):
        return self.lift(cloud).amax(1)


class GraspNet(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.encoder = PointEncoder(width)
        self.score = nn.Sequential(nn.Linear(width + 7, width), nn.ReLU(), nn.Linear(width, 1))
        self.timings = {"encode": 0.0, "score": 0.0}

    def forward(self, cloud, grasps):
        began = time.perf_counter()
        scene = self.encoder(cloud)
        self.timings["encode"] += time.perf_counter() - began
        scene = scene.unsqueeze(1).expand(-1, grasps.shape[1], -1)
        return self.score(torch.cat([scene, grasps], -1)).squeeze(-1)
