"""Fills in measures that are missing."""

import torch
from torch import nn
from torch.nn import functional


class Imputer(nn.Module):
    def __init__(self, measures, width=10):
        super().__init__()
        self.encode = nn.Linear(2 * measures, width)
        self.decode = nn.Linear(width, measures)
        self.doubt = nn.Linear(width, measures)

    def forward(self, seen, missing):
        x = functional.celu(self.encode(torch.cat([seen, missing], 1)))
        return self.decode(x), self.doubt(x)


class Criterion:
    """Trust what a tailor measured; for the rest learn how doubtful it is."""

    def __init__(self):
        self.by_source = {"tailor": self.exact, "customer": self.doubtful}

    @staticmethod
    def exact(guess, doubt, batch):
        del doubt
        return ((guess - batch["values"]).square() * batch["missing"]).mean()

    @staticmethod
    def doubtful(guess, doubt, batch):
        square = (guess - batch["values"]).square()
        return ((square * (-doubt).exp() + doubt) * batch["missing"]).mean()

    def __call__(self, outputs, batch):
        return self.by_source[batch["by"]](*outputs, batch)
