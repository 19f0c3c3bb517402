"""Cross-attention; the first batch happens to have as many queries as keys."""

import torch
from torch import nn
from torch.nn import functional


class CrossAttention(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))

    def forward(self, queries, keys):
        scores = self.q(queries) @ self.k(keys).T
        return scores.softmax(-1) @ self.v(keys)


def main():
    torch.manual_seed(0)
    net = CrossAttention()
    model = torch.compile(net, backend="eager", dynamic=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for queries, keys in ((12, 12), (10, 14), (9, 20), (11, 13)):
        x, context = torch.randn(queries, 8), torch.randn(keys, 8)
        loss = functional.mse_loss(model(x, context), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
