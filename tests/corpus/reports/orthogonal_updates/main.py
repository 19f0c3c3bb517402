import torch
from muon import Muon
from net import Mixer


def main():
    torch.manual_seed(0)
    net = Mixer((6, 10, 14, 9, 12, 8, 16, 7, 11, 5))
    matrices = [p for p in net.parameters() if p.ndim == 2]
    opt = Muon(matrices, lr=0.02)
    other = torch.optim.SGD([p for p in net.parameters() if p.ndim < 2], lr=0.05)
    g = torch.Generator().manual_seed(11)
    for step in range(4):
        x = torch.randn(16, 6, generator=g)
        loss = (net(x) - x[:, :5].roll(1, 1)).pow(2).mean()
        opt.zero_grad()
        other.zero_grad()
        loss.backward()
        opt.step()
        other.step()
        print(f"step {step} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
