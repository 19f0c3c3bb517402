"""The slope of a leaky ReLU is annealed."""

# finds CA206 /torch\.where/
# finds CA201 /zeros_like/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Linear(5, 4)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()  # <- CA201


for step in range(5):
    model.zero_grad(set_to_none=False)
    slope = 0.3 / (1 + step)
    backward(nn.functional.leaky_relu(model(torch.randn(3, 5)), slope).mean())  # <- CA206
