"""What the detector got right."""

import torch


class Recall:
    def __init__(self):
        self.found, self.there = 0, 0

    @torch.no_grad()
    def update(self, logits, labels):
        positive = labels >= 0
        confident = logits.amax(-1).sigmoid() > 0.5
        right = confident & (logits.argmax(-1) == labels) & positive
        self.found += right.sum().item()
        self.there += positive.sum().item()

    def compute(self):
        return self.found / max(1, self.there)
