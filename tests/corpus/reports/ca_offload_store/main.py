import torch
from model import Net
from offload import OffloadActivations


def main():
    torch.manual_seed(0)
    net = Net(dim=8)
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    offload = OffloadActivations(min_numel=32)
    g = torch.Generator().manual_seed(0)
    for step in range(4):
        x = torch.randn(16, 8, generator=g)
        with offload:
            loss = (net(x) - x.sum(1, keepdim=True).sin()).pow(2).mean()
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
            loss.backward()
        opt.step()
        opt.zero_grad()
        print(f"step {step} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
