"""An encoder and a decoder for each language; other pairs go over English."""

from torch import nn
from torch.nn import functional


class Translator(nn.Module):
    def __init__(self, languages, words=10, width=12, pivot="english"):
        super().__init__()
        self.pivot = pivot
        self.encoders = nn.ModuleDict({one: nn.Linear(words, width) for one in languages})
        self.decoders = nn.ModuleDict({one: nn.Linear(width, words) for one in languages})

    def step(self, x, source, target):
        return self.decoders[target](self.encoders[source](x).tanh())

    def forward(self, x, source, target):
        if self.pivot in (source, target):
            return self.step(x, source, target)
        return self.step(self.step(x, source, self.pivot), self.pivot, target)


def loss_of(model, batch, source, target):
    """Also of the way back, if the model can go it directly."""
    guess = model(batch[source], source, target)
    there = functional.mse_loss(guess, batch[target])
    back = functional.mse_loss(model(guess, target, source), batch[source])
    return there + 0.5 * back
