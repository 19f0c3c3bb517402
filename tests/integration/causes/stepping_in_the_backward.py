"""Each parameter is stepped by its own optimizer in a hook, and zeroed there."""

# finds CA504 /tensor|hook/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
optimizers = {one: torch.optim.SGD([one], lr=0.01) for one in model.parameters()}


def step_now(parameter: torch.Tensor) -> None:
    optimizers[parameter].step()  # <- CA504
    optimizers[parameter].zero_grad(set_to_none=False)


for one in model.parameters():
    one.grad = torch.zeros_like(one)
    one.register_post_accumulate_grad_hook(step_now)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for _ in range(4):
    backward(model(torch.randn(3, 4)).square().mean())
