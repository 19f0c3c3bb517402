import torch
import torch.nn.functional as F
from torch import nn

from data import Pages


@torch.compile(backend="aot_eager")
def objective(logits, labels):
    return F.cross_entropy(logits, labels, label_smoothing=0.1)


def main():
    torch.manual_seed(20)
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
    fast = torch.compile(net, backend="aot_eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.2)
    pages, total = Pages(33, 8), 0.0
    for epoch in range(3):
        for x, y in pages:
            loss = objective(fast(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
    print("FINAL %.5f" % total)


main()
