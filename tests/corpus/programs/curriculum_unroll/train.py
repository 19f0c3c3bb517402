"""An eager recurrent network over sequences that get longer."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Recurrent(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.step = nn.Linear(width + 2, width)
        self.head = nn.Linear(width, 1)
        self.width = width

    def forward(self, series):
        state = series.new_zeros(len(series), self.width)
        for moment in series.unbind(1):
            state = torch.tanh(self.step(torch.cat([moment, state], 1)))
        return self.head(state)


def length_at(step):
    return 2 + step // 2


def main():
    torch.manual_seed(0)
    model = Recurrent()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(6):
            series = torch.randn(6, length_at(step), 2)
            loss = functional.mse_loss(model(series), series.sum((1, 2))[:, None])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
