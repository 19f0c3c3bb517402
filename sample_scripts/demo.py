"""A training of a second that is compiled too often: its forward, and its backward.

    ca run sample_scripts/demo.py
    ca fix --verify --code CA704

What to look for: the temperature is a number that every epoch changes, so the forward is compiled
for each value (CA704). Gradients are accumulated over two batches: ``.grad`` is None at the first
and a tensor at the second, so each of them has a backward of its own (CA201).
"""

import torch
from torch import nn
from torch.nn import functional

torch._dynamo.config.compiled_autograd = True


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = 1.0
        self.layers = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4))

    def forward(self, inputs):
        return self.layers(inputs) / self.temperature


def main() -> None:
    torch.manual_seed(0)
    model = Classifier()
    # A real job says torch.compile; this backend is quicker.
    forward = torch.compile(model, backend="eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    inputs, targets = torch.randn(48, 16), torch.randint(4, (48,))

    @torch.compile(backend="eager")
    def backward(loss):
        loss.backward()

    for epoch in range(3):
        model.temperature = 1.0 - epoch / 10
        for step, rows in enumerate(torch.randperm(48).split(8)):
            loss = functional.cross_entropy(forward(inputs[rows]), targets[rows])
            backward(loss / 2)
            if step % 2 == 1:
                optimizer.step()
                optimizer.zero_grad()
        print(f"epoch {epoch}: loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
