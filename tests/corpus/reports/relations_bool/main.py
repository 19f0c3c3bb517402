"""Classify the nodes of a small knowledge graph."""
import torch
import torch.nn as nn

from conv import RelConv


class Net(nn.Module):
    def __init__(self, width=12, relations=3, classes=4):
        super().__init__()
        self.conv1 = RelConv(width, relations)
        self.conv2 = RelConv(width, relations)
        self.head = nn.Linear(width, classes)

    def forward(self, x, edges, kind):
        x = torch.relu(self.conv1(x, edges, kind))
        x = torch.relu(self.conv2(x, edges, kind))
        return self.head(x)


def main():
    torch.manual_seed(1)
    nodes, links = 30, 90
    x = torch.randn(nodes, 12)
    edges = torch.randint(nodes, (2, links))
    kind = torch.randint(3, (links,))
    y = torch.randint(4, (nodes,))
    net = Net()
    model = torch.compile(net, backend="eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(5):
        loss = nn.functional.cross_entropy(model(x, edges, kind), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
