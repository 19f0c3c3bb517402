import random

from torch import nn


def conv_bn(fan_in, fan_out, stride=1):
    conv = nn.Conv2d(fan_in, fan_out, 3, stride, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(fan_out))


class ResidualBlock(nn.Module):
    """Two convolutions and a shortcut, dropped for the whole batch with probability `sd_prob`."""

    def __init__(self, width, sd_prob):
        super().__init__()
        self.conv1 = conv_bn(width, width)
        self.conv2 = conv_bn(width, width)
        self.relu = nn.ReLU()
        self.sd_prob = sd_prob

    def forward(self, x):
        if self.training and random.random() < self.sd_prob:
            return x
        out = self.conv2(self.relu(self.conv1(x)))
        if self.training:
            out = out / (1 - self.sd_prob)
        return self.relu(x + out)


class ResNet(nn.Module):
    def __init__(self, width=8, depth=2, stochastic_depth=0.5, num_classes=3):
        super().__init__()
        self.stem = nn.Sequential(conv_bn(3, width, stride=2), nn.ReLU())
        probs = [stochastic_depth * (i + 1) / depth for i in range(depth)]
        self.blocks = nn.Sequential(*(ResidualBlock(width, p) for p in probs))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(width, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.fc(self.avgpool(x).flatten(1))
