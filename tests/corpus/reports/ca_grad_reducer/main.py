import torch
from reducer import Reducer
from torch import nn


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    reducer = Reducer(model, world_size=2)
    opt = torch.optim.SGD(model.parameters(), lr=0.2)
    g = torch.Generator().manual_seed(0)
    for step in range(5):
        x = torch.randn(16, 6, generator=g)
        loss = (model(x) - x[:, :1]).pow(2).mean()
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
            loss.backward()
        opt.step()
        opt.zero_grad()
        print(f"step {step} loss {loss.item():.5f} buckets {reducer.flushed}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
