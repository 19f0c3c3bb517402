"""Requests as the gateway hands them on."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch


@dataclass
class EtaRequest:
    request_id: str
    route: list[list[float]]
    vehicle: int
    traffic: list[float] | None = None
    tags: dict[str, str] = field(default_factory=dict)


def collate(requests: list[EtaRequest]) -> dict[str, torch.Tensor]:
    batch = {
        "route": torch.tensor([r.route for r in requests]),
        "vehicle": torch.tensor([r.vehicle for r in requests]),
    }
    if all(r.traffic is not None for r in requests):
        batch["traffic"] = torch.tensor([r.traffic for r in requests])
    return batch
