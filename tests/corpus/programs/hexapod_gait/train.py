"""Evolution strategies: perturb the policy, walk, keep what walked well."""

import numpy as np
import torch
from hardware import SensorBus
from policy import GaitPolicy
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from world import World


def walk(control, world, bus, steps=12):
    state, memory, total = world.reset(), None, 0.0
    bus.reset()
    for _ in range(steps):
        torque, memory = control(bus.poll(state), memory)
        state, reward = world.advance(torque)
        total += reward
    return total


@torch.no_grad()
def main(generations=3, population=4, sigma=0.05, lr=0.1):
    torch.manual_seed(17)
    policy = GaitPolicy()
    control = torch.compile(policy, backend="eager")
    world, bus = World(seed=17), SensorBus()
    mean = parameters_to_vector(policy.parameters())
    for generation in range(generations):
        noises, scores = [], []
        for _ in range(population):
            noise = torch.randn_like(mean)
            vector_to_parameters(mean + sigma * noise, policy.parameters())
            noises.append(noise)
            scores.append(walk(control, world, bus))
        rank = np.argsort(np.argsort(scores)) / (population - 1) - 0.5
        step = sum(float(r) * n for r, n in zip(rank, noises, strict=True)) / (population * sigma)
        mean = mean + lr * step
        print(f"generation {generation}: best {max(scores):.3f} mean {np.mean(scores):.3f}")


if __name__ == "__main__":
    main()
