"""Dominoes for one: lay a tile at an end that matches, draw if there is none."""

import random

import torch

TILES = [(a, b) for a in range(7) for b in range(a, 7)]


class Table:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.reset()

    def reset(self):
        stock = list(range(len(TILES)))
        self.random.shuffle(stock)
        self.hand, self.stock = stock[:7], stock[7:]
        self.ends = list(TILES[self.stock.pop()])

    def legal(self):
        while True:
            fitting = [i for i in self.hand if set(TILES[i]) & set(self.ends)]
            if fitting or not self.stock:
                return fitting
            self.hand.append(self.stock.pop())

    def lay(self, tile):
        a, b = TILES[tile]
        self.hand.remove(tile)
        side = 0 if self.ends[0] in (a, b) else 1
        self.ends[side] = b if self.ends[side] == a else a
        return a + b

    def observe(self):
        view = torch.zeros(len(TILES) + 14)
        view[self.hand] = 1
        view[len(TILES) + self.ends[0]] = 1
        view[len(TILES) + 7 + self.ends[1]] = 1
        return view
