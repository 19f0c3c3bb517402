"""Train with an experiment tracker that watches the layers."""
import torch
import torch.nn.functional as F
from torch import nn

from tracker import Tracker


def build():
    return nn.Sequential(nn.Linear(8, 24), nn.GELU(), nn.Linear(24, 24), nn.GELU(), nn.Linear(24, 4))


def main():
    torch.manual_seed(26)
    tracker = Tracker()
    net = build()
    tracker.watch(net)
    model = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for step in range(6):
        x, y = torch.randn(16, 8), torch.randint(4, (16,))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tracker.log("loss", loss.item())
    print(f"loss {loss.item():.5f} rows {len(tracker.rows)}")


if __name__ == "__main__":
    main()
