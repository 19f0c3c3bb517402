"""Sentences of another length in every step, and a forward that is compiled for one.

``dynamic=False`` compiles the forward for each length anew. Each of these has a backward of
its own, which compiled autograd has not seen yet.

    ca run sample_scripts/ca102_varying_length_bad.py

What to look for: CA102, with the lengths; a capture for each of them.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True

LENGTHS = [9, 6, 11, 7]


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.mix = nn.Linear(8, 8)
        self.head = nn.Linear(8, 4)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.head(torch.tanh(self.mix(self.embed(words))))


def main() -> None:
    torch.manual_seed(0)
    model = Tagger()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model, backend="aot_eager", dynamic=False)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step, length in enumerate(LENGTHS):
        words = torch.randint(0, 20, (4, length))  # <- CA102
        tags = torch.randint(0, 4, (4,))
        optimizer.zero_grad()
        scores = compiled(words)
        backward(nn.functional.cross_entropy(scores.mean(dim=1), tags))
        optimizer.step()
        print(f"step {step}: length {length}, sum of scores {scores.sum().item():.6f}")


if __name__ == "__main__":
    main()
