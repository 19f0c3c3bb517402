"""Scalars by tag, in place of TensorBoard."""

from collections import defaultdict


class SummaryWriter:
    def __init__(self, run_name):
        self.run_name = run_name
        self.scalars = defaultdict(list)

    def add_scalar(self, tag, value, step):
        self.scalars[tag].append((step, float(value)))

    def close(self):
        for tag, points in sorted(self.scalars.items()):
            print(f"{self.run_name} {tag}: {points[-1][1]:.4f} ({len(points)})")
