"""Actor, critic and temperature take turns through one helper, the critic frozen for the actor."""

# finds nothing
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
actor = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
temperature = torch.zeros(1, requires_grad=True)
optimizers = {
    "actor": torch.optim.Adam(actor.parameters()),
    "critic": torch.optim.Adam(critic.parameters()),
    "temperature": torch.optim.Adam([temperature]),
}


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


def update(name: str, loss: torch.Tensor) -> None:
    optimizers[name].zero_grad()
    backward(loss)
    optimizers[name].step()


def value(state: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
    return critic(torch.cat([state, action], 1))


for _ in range(5):
    state, action, reward = torch.randn(8, 4), torch.randn(8, 2), torch.randn(8, 1)
    update("critic", nn.functional.mse_loss(value(state, action), reward))
    critic.requires_grad_(False)
    chosen = actor(state)
    entropy = chosen.square().mean()
    update("actor", temperature.exp().item() * entropy - value(state, chosen).mean())
    critic.requires_grad_(True)
    update("temperature", (temperature.exp() * (entropy.detach() + 1)).mean())
