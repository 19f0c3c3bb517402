import torch
from metric import PairwiseAccuracy
from torch import nn


def main():
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    metric = PairwiseAccuracy()
    update = torch.compile(metric.update, backend="aot_eager")
    g = torch.Generator().manual_seed(0)
    for step in range(12):
        x = torch.randn(16, 4, generator=g)
        y = x.sum(1)
        pred = model(x)[:, 0]
        loss = (pred - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        update(pred.detach(), y)
    print(f"{metric.n_updates} updates, pairwise accuracy {metric.compute():.4f}")
    print("FINAL", round(metric.compute() + metric.n_updates, 5))


if __name__ == "__main__":
    main()
