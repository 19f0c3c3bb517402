"""Learns to find the pattern of a photograph, then searches a collection."""

import torch
from lace import Pairs
from matching import Matcher


def main():
    torch.manual_seed(0)
    pairs = Pairs(sizes=(12, 20, 16))
    matcher = Matcher()
    optimizer = torch.optim.Adam(matcher.parameters(), lr=0.01)
    for photographs, patterns in pairs.batches(epochs=4):
        loss = matcher.loss(photographs, patterns)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    gallery, right = pairs.patterns, 0
    for numbers, photographs in pairs.queries():
        found = matcher(photographs, gallery).argmax(dim=1)
        right += int((found == torch.tensor(list(numbers))).sum())
    print(f"loss {loss.item():.3f}, {right} of {len(gallery)} found")


if __name__ == "__main__":
    main()
