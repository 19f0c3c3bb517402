"""After every epoch the network draws one example, without a batch around it."""

import torch
from torch import nn
from torch.nn import functional


def preview(model, example):
    drawn = model(example)
    return drawn.detach().square().mean()


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(9, 18), nn.ReLU(), nn.Linear(18, 9))
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    data = torch.randn(40, 9)
    for _epoch in range(2):
        for batch in data.split(10):
            loss = functional.mse_loss(model(batch), batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        preview(model, data[0])


if __name__ == "__main__":
    main()
