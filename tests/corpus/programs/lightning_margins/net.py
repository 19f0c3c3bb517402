"""A face embedding with an angular margin."""

import torch
from torch import nn
from torch.nn import functional


class MarginHead(nn.Module):
    def __init__(self, width, people, margin=0.0, scale=8.0):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(people, width))
        self.margin = margin
        self.scale = scale

    def forward(self, vectors, people):
        cosine = functional.normalize(vectors) @ functional.normalize(self.centers).t()
        own = functional.one_hot(people, cosine.shape[1])
        return self.scale * (cosine - self.margin * own)


class FaceNet(nn.Module):
    def __init__(self, pixels=24, width=10, people=5):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(pixels, 20), nn.PReLU(), nn.Linear(20, width))
        self.head = MarginHead(width, people)

    def forward(self, faces, people):
        vectors = self.embed(faces)
        self.watch(vectors)
        return self.head(vectors, people)

    def watch(self, vectors):
        norm = vectors.norm(dim=-1).min().item()
        if norm < 1e-6:
            raise ValueError("an embedding has collapsed")
