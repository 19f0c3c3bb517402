"""A layer gets a weight norm for some steps, and loses it again."""

# finds CA202|CA207|CA209 /weight_norm|parametriz/
import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import weight_norm

torch._dynamo.config.compiled_autograd = True
model = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2))


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for step in range(6):
    if step == 2:
        weight_norm(model[0])  # <- CA202|CA207|CA209
    if step == 4:
        parametrize.remove_parametrizations(model[0], "weight")  # <- CA202|CA207|CA209
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    backward(model(torch.randn(4, 6)).square().mean())
