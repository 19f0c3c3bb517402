import torch
from fused import ScalarAdam
from torch import nn


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.SiLU(), nn.Linear(12, 1))
    opt = ScalarAdam(model.parameters(), lr=0.02)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 5) * 0.97 ** s)
    g = torch.Generator().manual_seed(12)
    for step in range(11):
        x = torch.randn(32, 6, generator=g)
        loss = (model(x)[:, 0] - x.prod(1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(f"step {step} lr {sched.get_last_lr()[0]:.5f} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
