"""Trains on a long text, six characters at a time."""

import torch
from model import StatefulModel
from torch._dynamo import compiled_autograd
from torch.nn import functional

CHUNK = 3


def main():
    torch.manual_seed(0)
    text = torch.randint(0, 30, (4, 4 * CHUNK + 1))
    model = StatefulModel()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    model.reset(batch=4)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for start in range(0, 4 * CHUNK, CHUNK):
            chunk = text[:, start : start + CHUNK + 1]
            logits = model(chunk[:, :-1])
            loss = functional.cross_entropy(logits.flatten(0, 1), chunk[:, 1:].flatten())
            loss.backward(retain_graph=True)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
