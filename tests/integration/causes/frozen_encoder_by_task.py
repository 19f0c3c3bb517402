"""Two tasks in turn: one trains the encoder, the other sees its features detached."""

# finds CA209|CA202|CA207 /task|detach|encoder/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
encoder = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
heads = {"full": nn.Linear(8, 3), "probe": nn.Linear(8, 3)}
parameters = [*encoder.parameters(), *heads["full"].parameters(), *heads["probe"].parameters()]
for parameter in parameters:
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for step in range(8):
    task = "probe" if step % 2 else "full"
    features = encoder(torch.randn(4, 6))
    if task == "probe":  # <- CA209|CA202|CA207
        features = features.detach()  # <- CA209|CA202|CA207
    loss = nn.functional.cross_entropy(heads[task](features), torch.randint(0, 3, (4,)))
    backward(loss)
