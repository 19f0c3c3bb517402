"""Students of other widths learn from each other: one line calls the backward of each in turn."""

# finds nothing
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
small = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
large = nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 3))
of_small = torch.optim.SGD(small.parameters(), lr=0.1)
of_large = torch.optim.SGD(large.parameters(), lr=0.1)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for _ in range(5):
    x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
    guesses = [small(x), large(x)]
    targets = [guess.detach().softmax(1) for guess in reversed(guesses)]
    for optimizer, guess, target in zip((of_small, of_large), guesses, targets, strict=True):
        optimizer.zero_grad()
        divergence = nn.functional.kl_div(guess.log_softmax(1), target, reduction="batchmean")
        backward(nn.functional.cross_entropy(guess, y) + divergence)
        optimizer.step()
