from torch import nn


class PumpNet(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(channels, width, 5, padding=2),
            nn.GroupNorm(2, width),
            nn.SiLU(),
            nn.Conv1d(width, width, 5, stride=2, padding=2),
            nn.SiLU(),
        )
        self.classifier = nn.Linear(width, 1)

    def forward(self, signal):
        return self.classifier(self.features(signal).mean(-1)).squeeze(-1)


def weight_decay_groups(model, decay):
    wide = [p for p in model.parameters() if p.ndim > 1]
    thin = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": wide, "weight_decay": decay}, {"params": thin, "weight_decay": 0.0}]
