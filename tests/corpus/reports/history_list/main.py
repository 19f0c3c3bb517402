import torch
from meter import Meter
from torch import nn


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    meter = Meter()

    @torch.compile(backend="aot_eager")
    def compute_loss(x, y):
        pred = model(x)
        loss = (pred - y).pow(2).mean()
        meter.update(loss.detach(), (pred - y).abs().mean().detach())
        return loss

    g = torch.Generator().manual_seed(0)
    for step in range(14):
        x = torch.randn(16, 8, generator=g)
        loss = compute_loss(x, x.sum(1, keepdim=True).sin())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 5 == 4:
            print(f"step {step} " + meter.summary())
    print("FINAL", round(meter.mean(), 5))


if __name__ == "__main__":
    main()
