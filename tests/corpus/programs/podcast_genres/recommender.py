import torch
from layers import Tables, reverse_gradient
from torch import nn


class Recommender(nn.Module):
    def __init__(self, listeners: int, podcasts: int, width: int = 8):
        super().__init__()
        self.tables = Tables(listeners, podcasts, width)
        self.trunk = nn.Sequential(nn.Linear(2 * width, 16), nn.SiLU(), nn.LayerNorm(16))
        self.stars = nn.Linear(16, 1)
        self.country = nn.Linear(16, 2)

    def forward(self, batch, strength: float) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.trunk(self.tables(batch.listener, batch.podcast))
        return self.stars(hidden).squeeze(-1), self.country(reverse_gradient(hidden, strength))

    def tables_and_rest(self):
        tables = list(self.tables.parameters())
        rest = [p for name, p in self.named_parameters() if not name.startswith("tables.")]
        return tables, rest
