"""Contrastive pretraining of images and captions."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ImageTower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.patches = nn.Conv2d(3, dim, 4, 4)
        self.proj = nn.Linear(dim, dim, bias=False)

    def forward(self, images):
        return self.proj(self.patches(images).flatten(2).mean(-1))


class TextTower(nn.Module):
    def __init__(self, dim, vocab=200):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocab, dim, mode="mean", padding_idx=0)
        self.proj = nn.Linear(dim, dim, bias=False)

    def forward(self, tokens):
        return self.proj(self.embed(tokens))


class CLIP(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.image = ImageTower(dim)
        self.text = TextTower(dim)
        self.logit_scale = nn.Parameter(torch.tensor(2.66))

    def forward(self, images, tokens, weight):
        x = F.normalize(self.image(images), dim=-1)
        y = F.normalize(self.text(tokens), dim=-1)
        logits = self.logit_scale.exp() * x @ y.T
        labels = torch.arange(logits.shape[0])
        forth = F.cross_entropy(logits, labels)
        back = F.cross_entropy(logits.T, labels)
        return weight * forth + (1 - weight) * back
