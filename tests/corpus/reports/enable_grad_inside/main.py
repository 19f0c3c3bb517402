"""Trains a head on the features of a frozen encoder, with a penalty on the features' gradient."""
import torch
from torch import nn
import torch.nn.functional as F


def networks():
    encoder = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 8)).requires_grad_(False)
    head = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 3))
    return encoder, head


def features_and_scores(encoder, head, x):
    with torch.no_grad():
        features = encoder(x)
    features.requires_grad_()
    return features, head(features)


def main():
    torch.manual_seed(29)
    generator = torch.Generator().manual_seed(29)
    encoder, head = networks()
    compiled = torch.compile(features_and_scores)
    optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
    for step in range(8):
        x = torch.randn(32, 12, generator=generator)
        y = x[:, :3].argmax(dim=1)
        features, scores = compiled(encoder, head, x)
        loss = F.cross_entropy(scores, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        slope = "none" if features.grad is None else f"{features.grad.norm().item():.4f}"
        print(f"step {step} loss {loss.item():.4f} slope of the features {slope}")


if __name__ == "__main__":
    main()
