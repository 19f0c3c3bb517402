"""A deep residual network; each layer is compiled on its own to keep compile times low."""
import torch
import torch.nn as nn

from compiling import compile_layer


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return x + torch.nn.functional.silu(self.inner(self.norm(x)))


def main():
    torch.manual_seed(13)
    graphs = []
    layers = [compile_layer(Layer(10), graphs) for _ in range(10)]
    net = nn.Sequential(nn.Linear(10, 10), *layers, nn.Linear(10, 1))
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    x = torch.randn(32, 10)
    y = x.sum(1, keepdim=True)
    for _ in range(3):
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
