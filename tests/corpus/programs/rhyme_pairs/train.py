"""First by dropout alone, as SimCSE does, then with lines that do rhyme."""

import torch
from encoder import Contrast, LineEncoder
from verses import Verses

PHASES = [("dropout", 2), ("rhymes", 3)]


def main():
    torch.manual_seed(0)
    verses = Verses()
    contrast = Contrast(LineEncoder())
    compiled = torch.compile(contrast, backend="eager", fullgraph=True)
    optimizer = torch.optim.Adam(contrast.parameters(), lr=1e-2)
    for phase, epochs in PHASES:
        for _ in range(epochs):
            for lines, partners in verses.batches(12, paired=phase == "rhymes"):
                loss = compiled(lines, partners)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
