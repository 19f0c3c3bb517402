import torch
from torch import nn


class ConvNormActivation(nn.Sequential):
    def __init__(self, c_in, c_out, kernel=3, stride=1, groups=1):
        super().__init__(
            nn.Conv2d(c_in, c_out, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(c_out),
            nn.ReLU6(),
        )


class InvertedResidual(nn.Module):
    def __init__(self, width, expand=2):
        super().__init__()
        hidden = width * expand
        self.conv = nn.Sequential(
            ConvNormActivation(width, hidden, kernel=1),
            ConvNormActivation(hidden, hidden, groups=hidden),
            nn.Conv2d(hidden, width, 1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x):
        return x + self.conv(x)


class MobileNet(nn.Module):
    def __init__(self, num_classes=5, width=8):
        super().__init__()
        self.features = nn.Sequential(
            ConvNormActivation(3, width, stride=2), InvertedResidual(width), nn.Dropout2d(0.1)
        )
        self.classifier = nn.Linear(width, num_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(x).mean((2, 3)))
