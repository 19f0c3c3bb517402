"""Finds the boxes on posters."""

import torch
from inspect_grads import GradientPeek
from posters import Feed
from torch import nn
from torch._dynamo import compiled_autograd


class BoxNet(nn.Module):
    def __init__(self, channels=4):
        super().__init__()
        self.conv = nn.Conv2d(3, channels, 3, stride=2, padding=1)
        self.head = nn.Linear(channels * 16, 4)

    def forward(self, page):
        return self.head(torch.relu(self.conv(page)).reshape(len(page), -1)).sigmoid()


def main(steps=16):
    torch.manual_seed(61)
    net = BoxNet()
    peek = GradientPeek(net.head, every=5)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for page, boxes in Feed(steps):
            peek()
            loss = (net(page) - boxes).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"{loss.item():.3f}, up to {peek.largest:.3f}")


if __name__ == "__main__":
    main()
