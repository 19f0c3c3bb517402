"""A generator and a critic whose parameters have equal names; the critic skips a layer."""

# finds CA202 /critic/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.ModuleList([nn.Linear(5, 5), nn.Linear(5, 5), nn.Linear(5, 1)])

    def forward(self, x: torch.Tensor, *, short: bool = False) -> torch.Tensor:
        x = self.net[0](x)
        if not short:  # <- CA202
            x = self.net[1](x)
        return self.net[2](x)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


generator, critic = Net(), Net()
for parameter in (*generator.parameters(), *critic.parameters()):
    parameter.grad = torch.zeros_like(parameter)
for step in range(6):
    x = torch.randn(4, 5)
    fake = generator(x)
    backward((fake + critic(x, short=step % 2 == 1)).mean())
