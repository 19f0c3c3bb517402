"""A training of a second that is compiled too often: its forward, and its backward.

    ca run sample_scripts/demo.py
    ca fix --verify --code CA206

What to look for: the temperature is a number that every epoch changes, so the forward is compiled
again (CA704). The exponent of the loss is another, and is saved for the backward, which is captured
for each of its values (CA206).
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
        focus = 1.5 + epoch / 2
        for rows in torch.randperm(48).split(8):
            guesses = forward(inputs[rows])
            losses = functional.cross_entropy(guesses, targets[rows], reduction="none")
            loss = losses.pow(focus).mean()
            backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        print(f"epoch {epoch}: loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
