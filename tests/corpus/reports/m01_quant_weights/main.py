import torch
import torch.nn as nn

from quant import compiled_quant


class WrappedLinear(nn.Module):
    """Linear whose rounding is tuned by sign descent."""

    def __init__(self, linear):
        super().__init__()
        self.orig = linear
        self.orig.requires_grad_(False)
        self.value = nn.Parameter(torch.zeros_like(linear.weight))

    def forward(self, x):
        wq = compiled_quant(self.orig.weight, self.value)
        return nn.functional.linear(x, wq, self.orig.bias)


def build(widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def wrap(model):
    return nn.Sequential(*[WrappedLinear(m) if isinstance(m, nn.Linear) else m for m in model])


def tune(model, data, iters=3, lr=0.01):
    with torch.no_grad():
        target = model(data)
    quantised = wrap(model)
    params = [m.value for m in quantised if isinstance(m, WrappedLinear)]
    losses = []
    for _ in range(iters):
        loss = (quantised(data) - target).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            for p in params:
                p.sub_(lr * p.grad.sign()).clamp_(-0.5, 0.5)
                p.grad = None
        losses.append(round(loss.item(), 6))
    return losses


def main():
    torch.manual_seed(0)
    model = build([16, 24, 32, 40, 48, 40, 32, 24, 16, 24, 8])
    data = torch.randn(20, 16)
    print("losses", tune(model, data))


if __name__ == "__main__":
    main()
