"""Predicts contacts of residues; two micro-batches make a batch."""

import torch
from chains import Windows
from torch._dynamo import compiled_autograd
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.utils.data import DataLoader
from trunk import Trunk

ACCUMULATE = 2


def banded(contacts, near=2):
    """Neighbours always touch: what is learned is the rest."""
    at = torch.arange(contacts.shape[-1])
    return ((at[:, None] - at).abs() > near).float().expand_as(contacts)


def main():
    torch.manual_seed(0)
    model = Trunk()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(Windows(12), batch_size=3, shuffle=True, drop_last=True)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, (chains, contacts) in enumerate(loader, start=1):
            weight = banded(contacts)
            loss = binary_cross_entropy_with_logits(model(chains), contacts, weight=weight)
            (loss / ACCUMULATE).backward()
            if step % ACCUMULATE == 0:
                optimizer.step()
                optimizer.zero_grad()


if __name__ == "__main__":
    main()
