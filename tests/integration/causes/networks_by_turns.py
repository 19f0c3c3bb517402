"""A generator and a critic by turns, whose losses end in the same operation: nothing is wrong."""

# finds nothing
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
generator = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 5))
critic = nn.Sequential(nn.Linear(5, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
of_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
bce = nn.functional.binary_cross_entropy_with_logits


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for _ in range(4):
    of_critic.zero_grad()
    fake = generator(torch.randn(6, 3)).detach()
    judged = critic(torch.cat([torch.randn(6, 5), fake]))
    backward(bce(judged, torch.cat([torch.ones(6, 1), torch.zeros(6, 1)])))
    of_critic.step()

    of_generator.zero_grad()
    of_critic.zero_grad()
    backward(bce(critic(generator(torch.randn(6, 3))), torch.ones(6, 1)))
    of_generator.step()
