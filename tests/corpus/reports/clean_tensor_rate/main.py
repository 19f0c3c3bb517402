import torch
from torch import nn
from train import make_step


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 10), nn.Softplus(), nn.Linear(10, 1))
    opt = torch.optim.Adam(model.parameters(), lr=torch.tensor(0.05))
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.9)
    update = make_step(opt)
    g = torch.Generator().manual_seed(19)
    for step in range(8):
        x = torch.randn(24, 5, generator=g)
        loss = (model(x)[:, 0] - x.abs().sum(1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        update()
        sched.step()
        print(f"step {step} lr {float(opt.param_groups[0]['lr']):.5f} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
