"""A callback thaws the layers of a compiled network whose name it is told, two at a time."""

# finds CA207|CA708 /requires_grad/
# never /Guard failed on|force_parameter/
import torch
from torch import nn

torch.manual_seed(0)


class Thaw:
    """Gives the layers their gradients back, from the last to the first."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model

    def on_epoch(self, names: tuple[str, ...]) -> None:
        for name, parameter in self.model.named_parameters():
            if name.startswith(names):
                parameter.requires_grad = True  # <- CA207|CA708


network = nn.Sequential(*(nn.Linear(6, 6) for _ in range(4)), nn.Linear(6, 2))
for parameter in network[:4].parameters():
    parameter.requires_grad = False
compiled = torch.compile(network, backend="eager")
callback = Thaw(network)
for names in (("4.",), ("3.", "2."), ("1.", "0.")):
    callback.on_epoch(names)
    for _ in range(2):
        compiled(torch.randn(3, 6)).square().mean().backward()
