import torch
from domain import DomainNet

compiler = torch.compile(backend="aot_eager")


def main():
    torch.manual_seed(0)
    net = DomainNet(dim=6, hidden=10)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(13)
    steps = 11
    for step in range(steps):
        x = torch.randn(16, 6, generator=g)
        domain = (torch.arange(16) % 2).float()
        x = x + 0.5 * domain[:, None]
        y = (x[:, :2].sum(1) > 0).float()
        label, source = net(x, progress=step / steps)
        bce = torch.nn.functional.binary_cross_entropy_with_logits
        loss = bce(label, y) + bce(source, domain)
        opt.zero_grad()
        with torch._dynamo.compiled_autograd._enable(compiler):
            loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
