import torch
from reformer import Reformer


def main():
    torch.manual_seed(0)
    model = Reformer(layers=2, dim=16, attention_dropout=0.0)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model, backend="aot_eager")
    g = torch.Generator().manual_seed(3)
    for step in range(4):
        x = torch.randn(2, 5, 16, generator=g)
        loss = (compiled(x) - x.flip(1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
