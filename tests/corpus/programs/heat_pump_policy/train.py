"""REINFORCE for a heat pump."""

import torch
from house import House
from policy import Policy
from rollout import episode, returns


def main():
    torch.manual_seed(0)
    house, agent = House(), Policy()
    policy = torch.compile(agent, backend="eager")
    optimizer = torch.optim.Adam(agent.parameters(), lr=0.02)
    for number in range(5):
        rewards = episode(policy, agent, house)
        chances = torch.stack(agent.taken).flatten()
        loss = -(chances * returns(rewards)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"episode {number}: {sum(rewards):.1f}")


if __name__ == "__main__":
    main()
