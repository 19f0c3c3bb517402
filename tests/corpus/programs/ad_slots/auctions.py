"""Auctions of slots, with hashed features of the visitor and the page."""

import random

import torch


def hashed(text, buckets):
    """A hash that is the same in every process."""
    value = 0
    for letter in text:
        value = (value * 31 + ord(letter)) % 1_000_003
    return value % buckets


class Auctions:
    PAGES = ("home", "sport", "weather", "travel", "games")
    DEVICES = ("phone", "tablet", "desk")

    def __init__(self, count, buckets, size):
        self.rng = random.Random(0)
        self.count, self.buckets, self.size = count, buckets, size

    def row(self):
        page, device = self.rng.choice(self.PAGES), self.rng.choice(self.DEVICES)
        crossed = [page, device, f"{page}/{device}"]
        clicked = float(self.rng.random() < (0.6 if page == "travel" else 0.2))
        return [hashed(one, self.buckets) for one in crossed], clicked

    def __iter__(self):
        for _ in range(self.count):
            features, clicked = zip(*(self.row() for _ in range(self.size)), strict=True)
            yield torch.tensor(features), torch.tensor(clicked)
