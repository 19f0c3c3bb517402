"""Train a small classifier with a compiled augmentation."""
import torch
import torch.nn.functional as F
from torch import nn


class RandomErase(nn.Module):
    """Applied to a batch with p_batch, to its elements with p."""

    def __init__(self, p=0.5, p_batch=0.8):
        super().__init__()
        self.p, self.p_batch = p, p_batch

    def chosen(self, rows):
        batch = torch.bernoulli(torch.full((1,), self.p_batch))
        if batch.sum() == 1:
            return torch.bernoulli(torch.full((rows,), self.p))
        return torch.zeros(rows)

    def forward(self, x):
        mask = self.chosen(x.shape[0])[:, None, None, None]
        erased = torch.cat([x[..., :4], torch.zeros_like(x[..., 4:])], -1)
        return mask * erased + (1 - mask) * x


def main():
    torch.manual_seed(12)
    erase = torch.compile(RandomErase(), backend="eager")
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(8):
        x, y = torch.randn(16, 1, 8, 8), torch.randint(3, (16,))
        loss = F.cross_entropy(net(erase(x)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
