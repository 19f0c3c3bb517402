import torch
from deep import DeepNet

compiler = torch.compile(backend="aot_eager")


def main():
    torch.manual_seed(0)
    net = DeepNet(dim=8, depth=2)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(15)
    for step in range(3):
        x = torch.randn(12, 8, generator=g)
        loss = (net(x) - x.flip(1)).pow(2).mean()
        opt.zero_grad()
        with torch._dynamo.compiled_autograd._enable(compiler):
            loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
