"""Trains the gripper's policy."""

import torch
from ppo import Agent, objective
from rollout import collect
from settings import Settings


def main():
    torch.manual_seed(0)
    settings, agent = Settings(), Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3)
    while settings.done < settings.updates:
        rollout = collect(agent, settings)
        for _ in range(settings.passes):
            for batch in rollout.minibatches(settings.minibatch):
                loss = objective(agent, batch, settings.clip_now, settings.entropy_now)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        settings.done += 1


if __name__ == "__main__":
    main()
