import torch
from torch import nn
from torch._dynamo import compiled_autograd


class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(-1, 1)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() < 1.5)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(9, 18), nn.Linear(18, 1)

    def forward(self, x):
        return self.b(Clamp.apply(self.a(x))).squeeze(-1)


def main():
    torch.manual_seed(29)
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    engine = torch.compile(backend="aot_eager")
    total = 0.0
    for step in range(8):
        x = torch.randn(15, 9)
        loss = (net(x) - x.square().mean(-1)).square().mean()
        opt.zero_grad(set_to_none=True)
        with compiled_autograd._enable(engine):
            loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
