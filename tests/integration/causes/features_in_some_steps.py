"""Features are recorded by a forward hook in every third step, through a context of our own."""

# finds CA718 /before the first|leave them on|once/
import torch
from torch import nn

torch._dynamo.config.skip_nnmodule_hook_guards = False


class Net(nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = nn.Linear(6, 6), nn.Linear(6, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x).tanh())


class Recorded:
    """Has a hook on a layer while it is entered."""

    def __init__(self, layer: nn.Module) -> None:
        self.layer = layer

    def __enter__(self) -> None:
        self.handle = self.layer.register_forward_pre_hook(lambda _layer, _inputs: None)  # <- CA718

    def __exit__(self, *_: object) -> None:
        self.handle.remove()


net = Net()
model = torch.compile(net, backend="eager")
for step in range(6):
    x = torch.randn(3, 6)
    if step % 3 == 2:  # <- CA718
        with Recorded(net.body):  # <- CA718
            model(x).sum().backward()
    else:
        model(x).sum().backward()
