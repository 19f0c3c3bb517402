from dataclasses import dataclass


@dataclass
class Growth:
    every: int
    units: int

    def due(self, epoch):
        return epoch % self.every == self.every - 1
