import torch
from layers import Net


def main():
    torch.manual_seed(0)
    net = torch.compile(Net(depth=2, dim=16).eval())
    x = torch.randn(4, 16)
    with torch.no_grad():
        for _ in range(5):
            x = net(x)
    print("FINAL", round(x.abs().sum().item(), 4))


if __name__ == "__main__":
    main()
