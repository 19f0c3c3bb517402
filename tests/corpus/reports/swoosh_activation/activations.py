import torch


def swoosh_l(x):
    return torch.logaddexp(torch.zeros((), dtype=x.dtype), x - 4.0) - 0.08 * x - 0.035


class SwooshLFunction(torch.autograd.Function):
    """keeps the derivative instead of the input"""

    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            x = x.detach()
            x.requires_grad = True
            y = swoosh_l(x)
            y.backward(gradient=torch.ones_like(y))
            ctx.save_for_backward(x.grad)
        return y.detach()

    @staticmethod
    def backward(ctx, grad):
        (d,) = ctx.saved_tensors
        return grad * d


class SwooshL(torch.nn.Module):
    def forward(self, x):
        return SwooshLFunction.apply(x)
