import torch
from engine import Engine


def main():
    torch.manual_seed(0)
    engine = Engine(dim=12, layers=3)
    g = torch.Generator().manual_seed(0)
    for step in range(6):
        x = torch.randn(8, 12, generator=g)
        loss = engine.train_batch(x, x.roll(1, 1))
        print(f"step {step} loss {loss:.5f}")
    print("FINAL", round(loss, 5))


if __name__ == "__main__":
    main()
