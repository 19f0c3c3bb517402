"""Learns to reverse sequences; the loss is scaled as for mixed precision."""

import random

import torch
from model import Encoder
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main():
    random.seed(3)
    torch.manual_seed(3)
    model = Encoder()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scale = 1024.0
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(7):
            tokens = torch.randint(0, 50, (8, 12))
            logits = model(tokens)
            loss = functional.cross_entropy(logits.flatten(0, 1), tokens.flip(1).flatten())
            (loss * scale).backward()
            for parameter in model.parameters():
                parameter.grad /= scale
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
            if step % 3 == 2:
                scale *= 2


if __name__ == "__main__":
    main()
