import torch
from torch import nn


class OfferRanker(nn.Module):
    def __init__(self, offers, temperature, width=24):
        super().__init__()
        self.country = nn.Embedding(12, 8)
        self.tower = nn.Sequential(
            nn.Linear(15, width), nn.GELU(), nn.Dropout(0.1), nn.Linear(width, width)
        )
        self.offers = nn.Parameter(0.1 * torch.randn(offers, width))
        self.register_buffer("temperature", torch.tensor(temperature))
        self.calls = 0
        self.history = []

    def forward(self, batch):
        guest = torch.cat(
            [batch["numbers"], self.country(batch["country"]), batch["nights"].log1p()[:, None]], 1
        )
        return self.tower(guest) @ self.offers.T / self.temperature

    def note(self, value):
        """For the weekly report; never looked at in forward."""
        self.calls += 1
        self.history.append(round(value, 4))


class Ema:
    def __init__(self, model, decay):
        self.decay = decay
        self.weights = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model, step):
        decay = min(self.decay, (1 + step) / (10 + step))
        for key, value in model.state_dict().items():
            self.weights[key].lerp_(value, 1 - decay)
