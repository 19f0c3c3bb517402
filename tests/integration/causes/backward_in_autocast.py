"""A trainer's backward is decorated with autocast, which its compiled model does not run under."""

# finds CA602 /autocast/
import torch
from torch import nn
from torch._dynamo import compiled_autograd

network = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 1))


class Trainer:
    """Takes steps with one compiled model."""

    def __init__(self) -> None:
        self.model = torch.compile(network, backend="aot_eager")

    @torch.autocast("cpu", torch.bfloat16)  # <- CA602
    def learn(self, loss: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
        return torch.autograd.grad(loss, inputs)[0]

    def step(self) -> None:
        inputs = torch.randn(3, 6, requires_grad=True)
        self.learn(self.model(inputs).square().mean(), inputs)


trainer = Trainer()
with compiled_autograd._enable(torch.compile(backend="aot_eager")):
    for _ in range(4):
        trainer.step()
