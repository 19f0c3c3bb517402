"""A module keeps its state from step to step, with the graph that made it."""

# finds CA204 /self\.state/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Memory(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.Linear(8, 8)
        self.out = nn.Linear(8, 2)
        self.state = torch.zeros(3, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mixed = self.cell(x + self.state)
        self.state = mixed.tanh()  # <- CA204
        out = self.out(self.state)
        return out


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward(retain_graph=True)


model = Memory()
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)
for _ in range(5):
    model.zero_grad(set_to_none=False)
    out = model(torch.randn(3, 8))
    loss = out.square().mean()
    backward(loss)
