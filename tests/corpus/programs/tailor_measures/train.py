"""Learns to complete the measures of customers."""

import torch
from bodies import MEASURES, orders
from imputer import Criterion, Imputer
from torch._dynamo import compiled_autograd


def lookahead(slow, model, share):
    """Move slowly towards the model, and let it go on from there."""
    with torch.no_grad():
        for kept, now in zip(slow, model.parameters(), strict=True):
            kept.lerp_(now, share)
            now.copy_(kept)


def main(steps=9, every=3):
    torch.manual_seed(0)
    model, criterion = Imputer(len(MEASURES)), Criterion()
    slow = [one.detach().clone() for one in model.parameters()]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, batch in enumerate(orders(steps), start=1):
            loss = criterion(model(batch["seen"], batch["missing"]), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % every == 0:
                lookahead(slow, model, share=0.5)


if __name__ == "__main__":
    main()
