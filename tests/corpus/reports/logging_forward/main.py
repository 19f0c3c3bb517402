"""Fit a classifier whose training step is compiled as a whole."""
import torch
import torch.nn as nn

from module import Module


class Classifier(Module):
    def __init__(self, width=10, classes=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, 20), nn.ReLU(), nn.Linear(20, classes))

    def forward(self, x, y):
        loss = nn.functional.cross_entropy(self.body(x), y)
        self.log("train/loss", loss)
        return loss + 0.01 * self.body[0].weight.square().sum()


def main():
    torch.manual_seed(20)
    module = Classifier()
    step = torch.compile(module, backend="eager")
    opt = torch.optim.SGD(module.parameters(), lr=0.2)
    x, y = torch.randn(60, 10), torch.randint(3, (60,))
    for _ in range(5):
        loss = step(x, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {module.logged['train/loss']:.4f}")


if __name__ == "__main__":
    main()
