import torch.nn as nn


class StageClassifier(nn.Module):
    def __init__(self, width=8, stages=3):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.GroupNorm(2, width), nn.ReLU())
        self.layer1 = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1), nn.ReLU())
        self.layer2 = nn.Sequential(nn.Conv2d(width, width, 3, 2, 1), nn.ReLU())
        self.head = nn.Linear(width, stages)

    def groups(self):
        """From the head down."""
        return [self.head, self.layer2, self.layer1, self.stem]

    def forward(self, x):
        x = self.stem(x)
        x = x + self.layer1(x)
        return self.head(self.layer2(x).mean((2, 3)))


def thaw(model, depth):
    for i, group in enumerate(model.groups()):
        for p in group.parameters():
            p.requires_grad = i < depth
