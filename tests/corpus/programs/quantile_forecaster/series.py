"""Series of several measuring stations."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Station:
    name: str
    channels: tuple[str, ...]


STATIONS = [
    Station("harbour", ("level", "wind")),
    Station("bridge", ("level",)),
    Station("airport", ("wind", "rain")),
]


class Reader:
    """Windows of history and future of a station."""

    def __init__(self, station, history=12, horizon=3):
        self.station = station
        self.history, self.horizon = history, horizon

    def windows(self, count, rows=8) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        for _ in range(count):
            shape = (rows, self.history + self.horizon, len(self.station.channels))
            values = torch.randn(shape).cumsum(1)
            if len(self.station.channels) == 1:
                values = values.squeeze(-1)
            yield values[:, : self.history], values[:, self.history :]
