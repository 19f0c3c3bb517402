import torch
from model import EarlyExit
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = EarlyExit()
    compiled = torch.compile(model, backend="eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        x, labels = torch.randn(8, 12), torch.randint(0, 3, (8,))
        loss = functional.cross_entropy(compiled(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
