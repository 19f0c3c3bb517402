"""Discriminator and generator of a GAN are compiled, and each is frozen while the other learns."""

# finds CA207|CA708 /requires_grad/
# never /Guard failed on|force_parameter/
import torch
from torch import nn


def set_trainable(module: nn.Module, trainable: bool) -> None:
    module.requires_grad_(trainable)  # <- CA207|CA708


critic = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
judge = torch.compile(critic, backend="eager")
for step in range(6):
    set_trainable(critic, trainable=step % 2 == 0)  # <- CA207|CA708
    sample = torch.randn(3, 4, requires_grad=True)
    judge(sample).mean().backward()
