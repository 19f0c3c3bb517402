"""A window of the weights moves from step to step."""

# finds CA104|CA206 /index_select|gather|mask/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Banded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(12, 4))

    def forward(self, x: torch.Tensor, begin: int) -> torch.Tensor:
        rows = self.table[begin : begin + 4]  # <- CA104|CA206
        return x @ rows


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


model = Banded()
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)
for begin in (0, 3, 5, 2, 8):
    model.zero_grad(set_to_none=False)
    backward(model(torch.randn(5, 4), begin).square().mean())
