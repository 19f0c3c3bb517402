"""Trains a speech classifier under accelerate, with a compiled model."""

import torch
from accelerate import Accelerator
from data import loader
from torch import nn
from torch.nn import functional


class Speech(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Conv1d(5, 8, 3, padding=1)
        self.head = nn.Linear(8, 3)

    def forward(self, frames):
        return self.head(self.mix(frames.transpose(1, 2)).relu().amax(2))


def main():
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True)
    model = torch.compile(Speech(), backend="aot_eager", dynamic=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer, batches = accelerator.prepare(model, optimizer, loader())
    for frames, labels in batches:
        loss = functional.cross_entropy(model(frames), labels)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()


if __name__ == "__main__":
    main()
