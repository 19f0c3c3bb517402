import numpy as np
import torch
from forest import Forest


def evaluate(agent, episodes, seed):
    """Greedy returns on a fixed set of forests, comparable from run to run."""
    torch.use_deterministic_algorithms(True)
    env = Forest(seed)
    returns = []
    for _ in range(episodes):
        obs, done, total = env.reset(), False, 0.0
        while not done:
            obs, reward, terminated, truncated = env.step(agent.act(obs))
            done = terminated or truncated
            total += reward
        returns.append(total)
    return float(np.mean(returns))
