import copy

import torch
import torch.nn.functional as F
from torch import nn


def mlp(dim, hidden, out):
    return nn.Sequential(
        nn.Linear(dim, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, out)
    )


class Encoder(nn.Module):
    def __init__(self, width=8, projection=16):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )
        self.projector = mlp(2 * width, 32, projection)

    def forward(self, x):
        y = self.backbone(x)
        return y, self.projector(y)


def regression_loss(p, z):
    return 2 - 2 * F.cosine_similarity(p, z.detach(), dim=-1).mean()


class BYOL(nn.Module):
    def __init__(self, projection=16, memory=64):
        super().__init__()
        self.online = Encoder(projection=projection)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.predictor = mlp(projection, 32, projection)
        self.register_buffer("memory", torch.zeros(memory, projection))
        self.register_buffer("cursor", torch.zeros((), dtype=torch.long))

    def remember(self, z):
        places = (self.cursor + torch.arange(len(z))) % len(self.memory)
        self.memory.index_copy_(0, places, F.normalize(z, dim=-1))
        self.cursor.add_(len(z)).remainder_(len(self.memory))

    def forward(self, view1, view2):
        _, online = self.online(torch.cat([view1, view2]))
        p1, p2 = self.predictor(online).chunk(2)
        with torch.no_grad():
            _, target = self.target(torch.cat([view2, view1]))
            z2, z1 = target.chunk(2)
            self.remember(z1)
        loss = regression_loss(p1, z2) + regression_loss(p2, z1)
        spread = self.memory.std(dim=0).mean()
        return loss, {"loss": loss.detach(), "spread": spread}


@torch.no_grad()
def update_target(online, target, tau):
    torch._foreach_lerp_(target, online, 1.0 - tau)
