"""Measures how galaxies are sheared."""

import torch
from cutouts import Cutouts, Quarter, batches
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class ShearNet(nn.Module):
    def __init__(self, channels=2, width=6):
        super().__init__()
        self.look = nn.Conv2d(channels, width, 3, stride=2)
        self.refine = nn.Conv2d(width, width, 3)
        self.answer = nn.Linear(width, 4)

    def forward(self, image):
        x = functional.gelu(self.look(image))
        x = functional.gelu(self.refine(x)).mean((2, 3))
        mean, log_variance = self.answer(x).chunk(2, dim=-1)
        return mean, log_variance


def train(epochs=3, size=8):
    torch.manual_seed(0)
    model, data = ShearNet(), Cutouts()
    optimizer = torch.optim.NAdam(model.parameters(), lr=3e-3)
    turn = Quarter()
    for _ in range(epochs):
        for batch in batches(data, size, transforms=[turn]):
            mean, log_variance = model(batch["image"])
            loss = functional.gaussian_nll_loss(mean, batch["shape"], log_variance.exp())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    with compiled_autograd._enable(torch.compile(backend="eager")):
        train()
