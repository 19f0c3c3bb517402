"""Small board games that an agent plays in turn."""

import torch

CELLS = 9
REGISTRY = {}


def register(cls):
    REGISTRY[cls.__name__.lower()] = cls
    return cls


class Game:
    shortest = 5

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.left = 0

    def reset(self):
        self.left = self.shortest + int(torch.randint(3, (), generator=self.generator))
        return self.observe()

    def observe(self):
        board = torch.randn(CELLS, generator=self.generator)
        return {"board": board, "side": torch.tensor([float(self.left % 2)])}

    def step(self, move):
        self.left -= 1
        reward = torch.rand((), generator=self.generator) - 0.1 * (move % 2)
        return self.observe(), reward, self.left == 0


@register
class Draughts(Game):
    pass


@register
class Ludo(Game):
    shortest = 6

    def observe(self):
        rolled = torch.randint(1, 7, (2,), generator=self.generator)
        return super().observe() | {"dice": rolled / 6}


@register
class Mill(Game):
    pass
