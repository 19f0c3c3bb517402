import torch
from model import Encoder


def main():
    torch.manual_seed(0)
    model = Encoder(layers=2, dim=12)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(0)
    for step in range(4):
        x = torch.randn(4, 6, 12, generator=g)
        loss = (model(x) - x.flip(1)).pow(2).mean()
        opt.zero_grad()
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
            loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
