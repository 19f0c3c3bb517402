"""Features that tell labels and do not tell domains."""

from reversal import gradient_reversal
from torch import nn


class AdversaryMixin:
    """Asks the judge of domains about reversed features."""

    strength = 0.3

    def judged(self, features):
        reverse = gradient_reversal(self.strength)
        return self.judge(reverse(features))


class DomainNet(AdversaryMixin, nn.Module):
    def __init__(self, channels=3, width=16, classes=4, domains=2):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(channels, width, 3), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten()
        )
        self.classify = nn.Linear(width, classes)
        self.judge = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, domains))

    def forward(self, x):
        features = self.features(x)
        return self.classify(features), self.judged(features)
