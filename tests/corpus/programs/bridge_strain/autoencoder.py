from torch import nn


class StrainAutoencoder(nn.Module):
    def __init__(self, gauges, length, code=12):
        super().__init__()
        self.encode = nn.Sequential(
            nn.Flatten(), nn.Linear(gauges * length, 48), nn.ELU(), nn.Linear(48, code)
        )
        self.decode = nn.Sequential(
            nn.Linear(code, 48), nn.ELU(), nn.Linear(48, gauges * length),
            nn.Unflatten(1, (gauges, length)),
        )  # fmt: skip

    def forward(self, window):
        code = self.encode(window)
        return self.decode(code), code
