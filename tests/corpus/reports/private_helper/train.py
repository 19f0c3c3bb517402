"""Fit a mixture; the responsibilities are looked at by an eager helper."""
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, parts=4, width=3):
        super().__init__()
        self.means = nn.Parameter(torch.randn(parts, width))
        self.logits = nn.Parameter(torch.zeros(parts))

    def forward(self, x):
        distance = (x[:, None] - self.means).square().sum(-1)
        score = self.logits.log_softmax(0) - distance / 2

        @torch._dynamo.disable
        def usage(weights):
            return weights.mean(0)

        used = usage(score.softmax(-1))
        return -score.logsumexp(-1).mean() + 0.01 * used.square().sum()


def main():
    torch.manual_seed(18)
    net = Mixture()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    for _ in range(12):
        x = torch.randn(40, 3) + torch.randint(3, (40, 1))
        loss = model(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
