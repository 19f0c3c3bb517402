"""Fine-tune a speech encoder with LayerDrop."""
import torch
import torch.nn as nn


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.ff = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())

    def forward(self, x):
        return x + self.ff(x)


class Encoder(nn.Module):
    def __init__(self, width=12, depth=4, layerdrop=0.1):
        super().__init__()
        self.layers = nn.ModuleList(Layer(width) for _ in range(depth))
        self.layerdrop = layerdrop
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        for layer in self.layers:
            chance = torch.rand([])
            if self.training and chance < self.layerdrop:
                continue
            x = layer(x)
        return self.head(x.mean(1))


def main():
    torch.manual_seed(23)
    net = Encoder()
    model = torch.compile(net, backend="eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randn(8, 20, 12), torch.randint(4, (8,))
    for _ in range(6):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
