"""Cuts a large scan into overlapping tiles and puts the answers together again."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tiling:
    size: int = 16
    overlap: int = 4

    def starts(self, length):
        return range(0, max(length - self.overlap, 1), self.size - self.overlap)

    def boxes(self, height, width):
        for top in self.starts(height):
            bottom = min(top + self.size, height)
            for left in self.starts(width):
                right = min(left + self.size, width)
                yield slice(top, bottom), slice(left, right)
