"""What is known of an hour at a station."""

from datetime import datetime, timedelta

import torch


def hours(start=datetime(2024, 3, 29, 7), stride=9):
    """Hours one after another, each `stride` later than the last."""
    now = start
    while True:
        yield now
        now += timedelta(hours=stride)


def weather(stations):
    return torch.stack([torch.rand(stations), 10 + 8 * torch.randn(stations)], dim=-1)
