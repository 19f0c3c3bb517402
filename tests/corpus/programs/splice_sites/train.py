import sys

import torch
from genome import Pieces
from objectives import SiteLoss
from spliceformer import SpliceNet


class Experiment:
    def __init__(self, steps=10, lr=5e-3, backend="aot_eager"):
        self.net = SpliceNet()
        self.loss = SiteLoss()
        self.pieces = Pieces(batch=8, length=60, seed=12)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=lr, momentum=0.9)
        self.training_step = torch.compile(self.training_step, backend=backend)
        self.steps = steps

    def training_step(self, dna, labels):
        logits = self.net(dna)
        return self.loss(logits, labels), logits.detach()

    def fit(self):
        for step in range(self.steps):
            dna, labels = self.pieces.draw()
            loss, logits = self.training_step(dna, labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if step % 3 == 0:
                here = labels >= 0
                right = ((logits > 0) == labels.bool())[here].float().mean().item()
                sys.stderr.write(f"step {step} loss {loss.item():.3f} right {right:.2f}\n")


if __name__ == "__main__":
    torch.manual_seed(6)
    Experiment().fit()
