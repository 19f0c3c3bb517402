"""What the parts of the tokenizer share."""

from torch import nn


class Counted(nn.Module):
    """Counts its training calls."""

    def __init__(self):
        super().__init__()
        self.seen = 0

    def advance(self):
        if self.training:
            self.seen += 1
        return self.seen
