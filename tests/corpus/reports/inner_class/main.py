import torch
from engine import ZeroEngine
from torch import nn


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    engine = ZeroEngine(model)
    step = torch.compile(model, backend="aot_eager")
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(0)
    for i in range(5):
        x = torch.randn(16, 8, generator=g)
        loss = (step(x)[:, 0] - x.mean(1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {i} loss {loss.item():.4f}")
    print("modules watched", engine.watched)
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
