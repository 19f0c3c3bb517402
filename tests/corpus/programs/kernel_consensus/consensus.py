"""What the model said of each sample in earlier epochs."""

import torch


class Consensus:
    def __init__(self, samples, classes, decay=0.6):
        self.decay = decay
        self.average = torch.zeros(samples, classes)
        self.epochs = 0

    @property
    def target(self):
        """The average without its start at zero."""
        return self.average / (1 - self.decay ** max(self.epochs, 1))

    @property
    def trust(self):
        return min(1.0, self.epochs / 8)

    def update(self, predicted):
        self.average = self.decay * self.average + (1 - self.decay) * predicted
        self.epochs += 1
