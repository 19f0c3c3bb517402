"""Trains the autoencoder; the critic gives its opinion after some steps."""

import torch
from losses import LOSSES
from model import PatchAutoencoder, PatchCritic
from state import TrainState
from torch._dynamo import compiled_autograd


def objective(model, critic, patches, state):
    output, code = model(patches)
    total = LOSSES["huber"](output, patches, state) + LOSSES["code"](code, state)
    if state.critic_is_on:
        total = total + 0.1 * LOSSES["adversarial"](critic(output))
    return total


def main(steps=11):
    torch.manual_seed(0)
    model, critic = PatchAutoencoder(), PatchCritic().requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    state = TrainState()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            state.step = step
            loss = objective(model, critic, torch.randn(8, 16), state)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
