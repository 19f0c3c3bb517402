"""MAML of first order: an inner loop adapts weights by `autograd.grad`, as often as a task says."""

# finds CA203 /same number|steps|pad/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


class Learner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 4) / 4)
        self.bias = nn.Parameter(torch.zeros(3))

    def adapted(self, steps: int) -> torch.Tensor:
        weight, bias = self.weight, self.bias
        x, y = torch.randn(6, 4), torch.randn(6, 3)
        for _ in range(steps):  # <- CA203
            loss = nn.functional.mse_loss(nn.functional.linear(x, weight, bias), y)
            slope, shift = torch.autograd.grad(loss, (weight, bias))
            weight, bias = weight - 0.1 * slope, bias - 0.1 * shift
        return nn.functional.mse_loss(nn.functional.linear(x, weight, bias), y)


learner = Learner()
for parameter in learner.parameters():
    parameter.grad = torch.zeros_like(parameter)
for _task, steps in enumerate((1, 2, 3, 2, 4, 1)):
    learner.zero_grad(set_to_none=False)
    backward(learner.adapted(steps))
