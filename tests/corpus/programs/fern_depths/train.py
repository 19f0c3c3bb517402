"""Searches how deep a network must be to tell ferns."""

import torch
from space import candidates
from trial import Trial


def ferns(count=60):
    leaves = torch.rand(count, 9)
    return leaves, (leaves[:, :3].sum(1) * 2).long().clamp(max=2)


def main():
    torch.manual_seed(0)
    leaves, kinds = ferns()
    results = {}
    for architecture in candidates():
        results[architecture] = Trial(architecture).run(leaves, kinds)
        print(f"{architecture}: {results[architecture]:.3f}")
    best = min(results, key=results.get)
    print(f"best: {best.depth} layers of {best.activation}")


if __name__ == "__main__":
    main()
