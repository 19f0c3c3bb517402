import torch
import torch.nn as nn
import torch.nn.functional as F


class RoofNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1), nn.ReLU()
        )
        self.cost = nn.Linear(width, 1)
        self.kind = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 3))

    def forward(self, tiles):
        return self.backbone(tiles).mean((2, 3))


class RoofLoss(nn.Module):
    """Huber for the cost, and in some steps the kind of damage as well."""

    def __init__(self, net, kind_every=2):
        super().__init__()
        self.net = net
        self.kind_every = kind_every
        self.delta = 1.0

    def forward(self, batch, step):
        features = self.net(batch["tiles"])
        guess = self.net.cost(features).squeeze(1)
        losses = {"cost": F.huber_loss(guess, batch["cost"], delta=self.delta)}
        if step % self.kind_every == 0:
            losses["kind"] = 0.3 * F.cross_entropy(self.net.kind(features), batch["kind"])
        return losses


def total(losses):
    return torch.stack(list(losses.values())).sum()
