"""Trains a forecaster while its gradients are watched."""

import torch
from data import Readings
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional
from torch.utils.data import DataLoader
from watch import GradientWatch, ParameterNorms


class Forecaster(nn.Module):
    def __init__(self, watch):
        super().__init__()
        self.watch = watch
        self.mix = nn.Conv1d(4, 8, 3)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        hidden = self.mix(x.transpose(1, 2)).tanh().mean(2)
        if self.training:
            self.watch.attach(hidden)
        return self.head(hidden)


def main():
    torch.manual_seed(0)
    norms, watch = ParameterNorms(), GradientWatch()
    model = Forecaster(watch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    loader = DataLoader(Readings(22), batch_size=6, shuffle=True)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(3):
            norms.begin_epoch(model)
            for x, y in loader:
                loss = functional.mse_loss(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
