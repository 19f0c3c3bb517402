import torch
from model import Net
from torch.nn import functional


def main():
    torch.manual_seed(0)
    net = Net()
    compiled = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(6):
        inputs = torch.randn(8, 5, 6)
        labels = (inputs.mean((1, 2)) > 0).long()
        loss = functional.cross_entropy(compiled(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
