"""Trains on a full table, the gain rising slowly; accuracy is looked at now and then."""

import torch
from arithmetic import Adder, tables
from smoothing import SlowGradients
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main(prime=7, steps=9):
    torch.manual_seed(0)
    model = Adder(prime)
    slow = SlowGradients(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.5)
    pairs, sums = tables(prime)
    kept = torch.randperm(len(pairs))
    training, held_out = kept[:32], kept[32:]
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            slow.gain.fill_(2.0 * step / steps)
            loss = functional.cross_entropy(model(pairs[training]), sums[training])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 4 == 0:
                with torch.no_grad():
                    right = model(pairs[held_out]).argmax(1).eq(sums[held_out])
                    right.float().mean().item()


if __name__ == "__main__":
    main()
