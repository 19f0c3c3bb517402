import torch
from torch import nn


class FeatureJitter(nn.Module):
    """Adds noise at first, less and less of it."""

    def __init__(self, scale: float, steps: int) -> None:
        super().__init__()
        self.scale = scale
        self.steps = steps
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:
            return x
        self.calls += 1
        left = max(0.0, 1 - self.calls / self.steps)
        return x + self.scale * left * torch.randn_like(x)


class LoadForecaster(nn.Module):
    def __init__(self, cfg) -> None:
        super().__init__()
        self.jitter = FeatureJitter(cfg.noise, cfg.noise_steps)
        self.history = nn.Sequential(nn.Linear(24, cfg.hidden), nn.GELU())
        self.weather = nn.Sequential(nn.Linear(4, cfg.hidden), nn.GELU())
        self.head = nn.Sequential(
            nn.LayerNorm(2 * cfg.hidden), nn.Dropout(0.1), nn.Linear(2 * cfg.hidden, 1)
        )

    def forward(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        history = self.history(self.jitter(batch["history"]))
        weather = self.weather(batch["weather"])
        return self.head(torch.cat([history, weather], dim=-1)).squeeze(-1)
