"""A text that is counted out in letters, and blocks of it."""

import torch

TEXT = """Zwei Kannen Milch, ein Laib Brot, drei Eier und ein Sack Mehl wurden am Montag
geliefert; am Dienstag waren es zwei Laibe und kein Mehl, am Mittwoch wieder drei Eier."""
LETTERS = sorted(set(TEXT))


def encoded():
    return torch.tensor([LETTERS.index(letter) for letter in TEXT])


class Blocks:
    """Whole blocks only: what is left at the end of the text is in none."""

    def __init__(self, text, length, batch):
        starts = range(0, len(text) - length - 1, length // 2)
        rows = torch.stack([text[start : start + length + 1] for start in starts])
        self.batches = rows[torch.randperm(len(rows))].split(batch)
        self.batch = batch

    def __iter__(self):
        for rows in self.batches:
            if len(rows) == self.batch:
                yield rows[:, :-1], rows[:, 1:]
