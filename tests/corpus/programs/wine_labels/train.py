"""Distils a reader of wine labels, and looks which part of a label it reads."""

import argparse

import torch
from distill import Distillation
from networks import network, run
from torch._dynamo import compiled_autograd


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=9)
    parser.add_argument("--look-every", type=int, default=4)
    parser.add_argument("--lr", type=float, default=0.05)
    return parser.parse_args()


def main(options):
    torch.manual_seed(37)
    teacher, student = network(32).requires_grad_(False), network(8)
    distillation = Distillation(classes=4)
    learned = [*student.parameters(), *distillation.parameters()]
    optimizer = torch.optim.SGD(learned, lr=options.lr)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(options.steps):
            label = torch.randn(16, 12)
            look = step % options.look_every == options.look_every - 1
            label.requires_grad_(look)
            with torch.no_grad():
                known = run(teacher, label)[1]
            loss = distillation(run(student, label)[1], known)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if look:
                print(f"step {step}: reads {int(label.grad.abs().sum(0).argmax())} most")


if __name__ == "__main__":
    main(parse())
