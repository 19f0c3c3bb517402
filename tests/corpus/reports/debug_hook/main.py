"""Train a regressor and watch the gradient of the hidden layer every now and then."""
import torch
import torch.nn as nn


class Watch:
    def __init__(self, every):
        self.every = every
        self.total = torch.zeros(())

    def attach(self, hidden, step):
        if step % self.every == 0:
            hidden.register_hook(self.note)

    def note(self, grad):
        self.total.add_(grad.norm())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(5, 12)
        self.outer = nn.Linear(12, 1)


def main():
    torch.manual_seed(35)
    net = Net()
    watch = Watch(every=4)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(40, 5)
    y = x[:, :1] * x[:, 1:2]
    for step in range(9):
        hidden = torch.tanh(net.inner(x))
        watch.attach(hidden, step)
        loss = nn.functional.mse_loss(net.outer(hidden), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f} {watch.total.item():.5f}")


if __name__ == "__main__":
    main()
