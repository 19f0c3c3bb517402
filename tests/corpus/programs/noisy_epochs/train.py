import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 24)
        self.outer = nn.Linear(24, 1)
        self.is_noisy = False

    def forward(self, x):
        hidden = torch.relu(self.inner(x))
        if self.is_noisy:
            hidden = hidden + 0.1 * hidden.sin()
        return self.outer(hidden)


def main():
    torch.manual_seed(0)
    model = Denoiser()
    compiled = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(4):
        model.is_noisy = epoch % 2 == 1
        for _step in range(4):
            x = torch.randn(32, 8)
            loss = (compiled(x)[:, 0] - x.sum(1).sin()).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
