"""A recurrent cell over padded sequences: the fix of ``ca203_unroll_bad.py``.

Every sequence is padded to one length and the steps beyond its end are masked out, so the
loop always runs as often and the autograd graph is the same at each step.

    ca run sample_scripts/ca203_unroll_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

LENGTHS = [3, 5, 2, 5, 6, 3]
LONGEST = max(LENGTHS)


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.RNNCell(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, sequence, mask):
        state = torch.zeros(sequence.shape[1], 8)
        for observed, kept in zip(sequence, mask, strict=True):
            state = torch.where(kept, self.cell(observed, state), state)
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
        sequence = nn.functional.pad(sequence, (0, 0, 0, 0, 0, LONGEST - length))
        mask = (torch.arange(LONGEST) < length)[:, None, None]
        loss = nn.functional.mse_loss(model(sequence, mask), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: {length} time steps, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
