"""Learns which note comes next."""

import torch
from attention import AttentionOptions, Composer
from scores import REST, batches
from torch.nn import functional


def main():
    torch.manual_seed(0)
    composer = Composer(AttentionOptions())
    model = torch.compile(composer, backend="eager")
    optimizer = torch.optim.Adam(composer.parameters(), lr=5e-3)
    for number, pitches in enumerate(batches(14)):
        foretold = model(pitches)
        loss = functional.cross_entropy(foretold[:, :-1].mT, pitches[:, 1:], ignore_index=REST)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number % 7 == 6:
            print(f"batch {number}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
