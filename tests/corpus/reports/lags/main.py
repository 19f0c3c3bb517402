"""An autoregressive filter, one compiled step per observation."""
import torch


class Filter:
    def __init__(self, order=9, dim=4):
        self.weights = torch.randn(order, dim, dim) * 0.1
        self.order = order

    def step(self, history, t: int):
        out = torch.zeros(history.shape[-1])
        for lag in range(min(t, self.order)):
            out = out + self.weights[lag] @ history[lag]
        return torch.tanh(out)


@torch.no_grad()
def main():
    torch.manual_seed(32)
    model = Filter()
    step = torch.compile(model.step, backend="eager")
    history = torch.zeros(9, 4)
    error = 0.0
    for t in range(14):
        seen = torch.sin(torch.arange(4) + t)
        guess = step(history, t)
        error += (guess - seen).square().mean().item()
        history = torch.cat((seen[None], history[:-1]))
    print(f"FINAL {error:.4f}")


if __name__ == "__main__":
    main()
