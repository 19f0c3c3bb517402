import torch
from engine import Engine
from torch import nn


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 2))
    engine = Engine(model, lr=0.05, accumulate=3)
    engine.compile_backward(backend="aot_eager")
    g = torch.Generator().manual_seed(14)
    for micro in range(12):
        x = torch.randn(8, 8, generator=g)
        target = (x[:, 0] > x[:, 1]).long()
        loss = nn.functional.cross_entropy(engine(x), target)
        engine.backward(loss)
        engine.step()
        print(f"micro step {micro} loss {loss.item():.5f}")
    print("updates", engine.updates)
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
