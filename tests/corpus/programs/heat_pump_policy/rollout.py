"""One episode in a house."""

import torch


def episode(policy, agent, house):
    """The rewards of each hour."""
    agent.begin()
    rewards, done = [], False
    observation = torch.from_numpy(house.reset())
    while not done:
        action = policy(observation)
        seen, reward, done = house.step(action)
        observation = torch.from_numpy(seen)
        rewards.append(reward)
    return rewards


def returns(rewards, discount=0.97):
    total, found = 0.0, []
    for reward in reversed(rewards):
        total = reward + discount * total
        found.append(total)
    found = torch.tensor(found[::-1])
    return (found - found.mean()) / (found.std() + 1e-6)
