"""A recurrent cell in a Python loop over sequences of varying length.

The loop is unrolled in the autograd graph: one group of nodes for each time step, so each
length that comes up is a backward of its own.

    ca run sample_scripts/ca203_unroll_bad.py

What to look for: CA203, with the group of nodes that is repeated and how often.
"""

import torch
from torch import nn

LENGTHS = [3, 5, 2, 5, 6, 3]


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.RNNCell(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, sequence):
        state = torch.zeros(sequence.shape[1], 8)
        for observed in sequence:  # <- CA203
            state = self.cell(observed, state)
        return self.head(state)


def main() -> None:
    torch.manual_seed(0)
    model = Tagger()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    backward_compiler = torch.compile(backend="eager")

    for step, length in enumerate(LENGTHS):
        sequence = torch.randn(length, 8, 4)
        targets = sequence.sum(dim=(0, 2)).unsqueeze(1)
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(sequence), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: {length} time steps, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
