import torch
from partition import wrap
from torch import nn

compiler = torch.compile(backend="aot_eager")


def main():
    torch.manual_seed(0)
    model = nn.Sequential(wrap(nn.Linear(8, 16)), nn.Tanh(), wrap(nn.Linear(16, 1)))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(0)
    for step in range(4):
        x = torch.randn(16, 8, generator=g)
        loss = (model(x) - x.mean(1, keepdim=True)).pow(2).mean()
        with torch._dynamo.compiled_autograd._enable(compiler):
            loss.backward()
        opt.step()
        opt.zero_grad()
        print(f"step {step} loss {loss.item():.5f}")
    print("fetches", [m.fetches for m in model if hasattr(m, "fetches")])
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
