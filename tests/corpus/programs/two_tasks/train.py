"""Segmentation and depth share an encoder; each step trains one of them."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(6, 10)
        self.labels = nn.Linear(10, 3)
        self.depth = nn.Linear(10, 1)

    def forward(self, x, task):
        features = self.encoder(x).relu()
        if task == "labels":
            return self.labels(features)
        return self.depth(features)


def main():
    torch.manual_seed(0)
    model = TwoHeads()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(6):
            x = torch.randn(8, 6)
            if step % 2 == 0:
                loss = functional.cross_entropy(model(x, "labels"), x[:, :3].argmax(1))
            else:
                loss = functional.mse_loss(model(x, "depth"), x.mean(1, keepdim=True))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
