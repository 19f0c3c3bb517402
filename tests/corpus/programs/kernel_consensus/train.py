"""Learns two moons from a few labels, and from agreeing with itself."""

import math

import torch
from consensus import Consensus
from machine import KernelMachine


def moons(count, noise=0.1):
    which = torch.arange(count) % 2
    angle = math.pi * torch.rand(count)
    x = torch.stack([angle.cos(), angle.sin()], 1)
    x[which == 1] = torch.tensor([1.0, 0.4]) - x[which == 1]
    return x + noise * torch.randn(count, 2), which


def main(epochs=9, labelled=10):
    torch.manual_seed(0)
    x, classes = moons(80)
    machine, consensus = KernelMachine(2, 2), Consensus(len(x), 2)
    optimizer = torch.optim.SGD(machine.parameters(), lr=0.5, momentum=0.8)
    for epoch in range(epochs):
        predicted = machine(x + 0.05 * torch.randn_like(x))
        told = predicted[:labelled].gather(1, classes[:labelled, None]).clamp(min=1e-6)
        agreement = (predicted - consensus.target).square().mean()
        loss = consensus.trust * agreement - told.log().mean()
        optimizer.zero_grad()
        # Without it: "Trying to backward through the graph a second time".
        loss.backward(retain_graph=True)
        optimizer.step()
        consensus.update(predicted)
        right = (predicted.argmax(1) == classes).float().mean()
        print(f"{epoch}: {right.item():.2f}")


if __name__ == "__main__":
    main()
