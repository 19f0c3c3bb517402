import torch.nn as nn
import torch.nn.functional as F


class Trunk(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc1 = nn.Linear(20, width)
        self.norm = nn.LayerNorm(width)
        self.fc2 = nn.Linear(width, width)

    def forward(self, x):
        return F.gelu(self.fc2(self.norm(F.gelu(self.fc1(x)))))


class MultiTaskNet(nn.Module):
    def __init__(self, tasks, width=32):
        super().__init__()
        self.trunk = Trunk(width)
        self.heads = nn.ModuleDict({name: nn.Linear(width, n) for name, n in tasks.items()})

    def forward(self, features, task):
        return self.heads[task](self.trunk(features))
