import math

import torch
from torch import nn


class PositionEmbeddingRandom(nn.Module):
    def __init__(self, num_pos_feats):
        super().__init__()
        self.register_buffer("gaussian", torch.randn(2, num_pos_feats))

    def forward_with_coords(self, coords, image_size):
        coords = coords.clone()
        coords[:, :, 0] = coords[:, :, 0] / image_size[1]
        coords[:, :, 1] = coords[:, :, 1] / image_size[0]
        coords = (2 * coords - 1) @ self.gaussian * 2 * math.pi
        return torch.cat([coords.sin(), coords.cos()], dim=-1)


class PromptEncoder(nn.Module):
    """Turns clicks (points with labels 0/1) into sparse embeddings."""

    def __init__(self, embed_dim, image_size):
        super().__init__()
        self.image_size = image_size
        self.pe_layer = PositionEmbeddingRandom(embed_dim // 2)
        self.point_embeddings = nn.ModuleList([nn.Embedding(1, embed_dim) for _ in range(2)])
        self.not_a_point = nn.Embedding(1, embed_dim)

    def forward(self, points):
        coords, labels = points
        coords = coords + 0.5
        pad = torch.zeros(coords.shape[0], 1, 2)
        coords = torch.cat([coords, pad], dim=1)
        labels = torch.cat([labels, -torch.ones(labels.shape[0], 1)], dim=1)
        emb = self.pe_layer.forward_with_coords(coords, self.image_size)
        emb = torch.where((labels == -1)[..., None], self.not_a_point.weight, emb)
        for i in range(2):
            emb = torch.where((labels == i)[..., None], emb + self.point_embeddings[i].weight, emb)
        return emb
