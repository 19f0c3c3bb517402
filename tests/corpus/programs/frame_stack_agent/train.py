"""Trains the agent with REINFORCE."""

import torch
from agent import Agent
from environment import Catch, FrameStack


def play(policy, environment):
    chosen, rewards, done = [], [], False
    frames = environment.reset()
    while not done:
        scores = policy(frames)
        action = torch.multinomial(scores.exp(), 1)
        frames, reward, done = environment.step(action.item())
        chosen.append(scores[action])
        rewards.append(reward)
    return torch.cat(chosen), sum(rewards)


def main(episodes=6):
    torch.manual_seed(0)
    agent = Agent()
    policy = torch.compile(agent, backend="eager")
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-2)
    environment = FrameStack(Catch())
    baseline = 0.0
    for _ in range(episodes):
        log_probabilities, reward = play(policy, environment)
        loss = -(reward - baseline) * log_probabilities.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        baseline += 0.1 * (reward - baseline)


if __name__ == "__main__":
    main()
