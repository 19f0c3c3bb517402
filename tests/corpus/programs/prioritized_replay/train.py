"""Learns from a recorded game."""

import torch
from agent import Agent
from replay import Replay
from torch._dynamo import compiled_autograd


def main():
    torch.manual_seed(0)
    memory, agent = Replay(200, 5, warm=4), Agent()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(10):
            chosen, transition, weight = memory.sample(16)
            memory.update(chosen, agent.learn(transition, weight))
            if step % 5 == 4:
                agent.synchronize()


if __name__ == "__main__":
    main()
