import torch
from torch import nn

BINS = 8


class PiecewiseLinear(nn.Module):
    """Numbers to bins, each of which is filled in its turn (Gorishniy et al., 2022)."""

    def __init__(self, bins, low=-2.0, high=2.0):
        super().__init__()
        edges = torch.linspace(low, high, bins + 1)
        self.register_buffer("left", edges[:-1])
        self.register_buffer("width", edges[1:] - edges[:-1])

    def forward(self, x):
        return ((x.unsqueeze(-1) - self.left) / self.width).clamp(0, 1).flatten(1)


class PriceNet(nn.Module):
    def __init__(self, numbers, woods=5, places=7, dim=4, width=24, swap_prob=0.15):
        super().__init__()
        self.encode = PiecewiseLinear(BINS)
        self.wood, self.place = nn.Embedding(woods, dim), nn.Embedding(places, dim)
        self.body = nn.Sequential(
            nn.Linear(numbers * BINS + 2 * dim, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
        )
        self.mean, self.log_var = nn.Linear(width, 1), nn.Linear(width, 1)
        self.swap_prob = swap_prob

    def embed(self, batch):
        numbers = self.encode(batch["numbers"])
        return torch.cat([numbers, self.wood(batch["wood"]), self.place(batch["place"])], dim=1)

    def forward(self, batch, generator_noise):
        x = self.embed(batch)
        if self.training:
            x = torch.where(generator_noise < self.swap_prob, x.roll(1, 0), x)
        h = self.body(x)
        log_var = self.log_var(h).squeeze(1)
        if not torch.isfinite(log_var).all():
            raise FloatingPointError("log_var")
        return self.mean(h).squeeze(1), log_var

    @property
    def noise_width(self):
        return self.body[0].in_features
