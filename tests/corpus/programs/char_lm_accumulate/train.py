"""Trains the character model; two batches make one step of the optimizer."""

import torch
from data import ALPHABET, make_loader
from model import CharModel
from torch._dynamo import compiled_autograd
from torch.nn import functional

ACCUMULATE = 2


def main():
    torch.manual_seed(1)
    model = CharModel(len(ALPHABET))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loader = make_loader(batch_size=8)
    engine = torch.compile(backend="eager")
    with compiled_autograd._enable(engine):
        for _epoch in range(2):
            for index, (inputs, targets) in enumerate(loader):
                logits = model(inputs)
                loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
                (loss / ACCUMULATE).backward()
                if (index + 1) % ACCUMULATE == 0:
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    optimizer.zero_grad()


if __name__ == "__main__":
    main()
