"""Train and validate in turns, with one compiled model."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))

    def forward(self, x):
        return self.body(x)


@torch.no_grad()
def validate(model, x, y):
    model.eval()
    accuracy = (model(x).argmax(-1) == y).float().mean().item()
    model.train()
    return accuracy


def main():
    torch.manual_seed(36)
    model = torch.compile(Net(), backend="eager")
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(64, 8), torch.randint(3, (64,))
    for _ in range(4):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        accuracy = validate(model, x, y)
    print(f"FINAL {accuracy:.4f}")


if __name__ == "__main__":
    main()
