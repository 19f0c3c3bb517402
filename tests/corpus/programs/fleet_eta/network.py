from __future__ import annotations

from torch import Tensor, nn


class EtaModel(nn.Module):
    def __init__(self, n_vehicles: int = 6, dim: int = 24) -> None:
        super().__init__()
        self.vehicle = nn.Embedding(n_vehicles, dim)
        self.legs = nn.GRUCell(3, dim)
        self.traffic = nn.Linear(4, dim)
        self.out = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 1))

    def forward(self, route: Tensor, vehicle: Tensor, traffic: Tensor | None = None) -> Tensor:
        h = self.vehicle(vehicle)
        for leg in route.unbind(1):
            h = self.legs(leg, h)
        if traffic is not None:
            h = h + self.traffic(traffic)
        return nn.functional.softplus(self.out(h)).squeeze(-1)
