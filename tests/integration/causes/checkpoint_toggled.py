"""A block is checkpointed in every other step."""

# finds CA301 /call `checkpoint`/
# never /unpack_hook/
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch._dynamo.config.compiled_autograd = True
first, block, last = nn.Linear(6, 6), nn.Sequential(nn.Linear(6, 6), nn.Tanh()), nn.Linear(6, 2)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


def forward(x: torch.Tensor, *, saving: bool) -> torch.Tensor:
    x = first(x)
    if saving:
        x = checkpoint(block, x, use_reentrant=False)  # <- CA301
    else:
        x = block(x)
    return last(x)


for parameter in (*first.parameters(), *block.parameters(), *last.parameters()):
    parameter.grad = torch.zeros_like(parameter)
for step in range(6):
    for part in (first, block, last):
        part.zero_grad(set_to_none=False)
    backward(forward(torch.randn(4, 6), saving=step % 2 == 1).square().mean())
