import torch


class Inputs:
    """Words and mask so far; both grow by one column a step."""

    def __init__(self, words, mask):
        self.words = words
        self.mask = mask

    def positions(self):
        """Position of the newest word of each row, padding not counted."""
        counted = self.mask.cumsum(-1) - 1
        return counted[:, -1:]

    def append(self, word):
        self.words = torch.cat([self.words, word], -1)
        self.mask = torch.cat([self.mask, torch.ones_like(word)], -1)
