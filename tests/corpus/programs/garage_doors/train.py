"""Warns of a door that is about to stick; activations of long recordings are kept aside."""

import contextlib

import torch
from door import Microphone
from torch import nn
from torch._dynamo import compiled_autograd
from torch.autograd.graph import save_on_cpu
from torch.nn import functional

LONG = 32


class Ear(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(1, width, 5), nn.Conv1d(width, width, 5)])
        self.out = nn.Linear(width, 1)

    def forward(self, sound):
        for layer in self.layers:
            sound = functional.silu(layer(sound))
        return self.out(sound.mean(-1)).squeeze(-1)


def room_for(sound):
    return save_on_cpu() if sound.shape[-1] > LONG else contextlib.nullcontext()


def main(steps=9):
    torch.manual_seed(38)
    ear, microphone = Ear(), Microphone()
    optimizer = torch.optim.SGD(ear.parameters(), lr=0.1)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            sound, sticks = microphone.record()
            optimizer.zero_grad()
            with room_for(sound):
                loss = functional.binary_cross_entropy_with_logits(ear(sound), sticks)
            torch.use_deterministic_algorithms(step % 2 == 1)
            loss.backward()
            torch.use_deterministic_algorithms(False)
            optimizer.step()


if __name__ == "__main__":
    main()
