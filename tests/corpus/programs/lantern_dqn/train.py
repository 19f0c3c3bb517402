"""Deep Q-learning with a target network and a schedule of exploration."""

import copy
import random
from dataclasses import dataclass

import torch
from grid import LanternGrid
from replay import ReplayMemory
from torch import nn
from torch.nn import functional as F


@dataclass
class Args:
    seed: int = 1
    num_envs: int = 8
    total_timesteps: int = 20
    learning_starts: int = 4
    batch_size: int = 32
    target_network_frequency: int = 5
    gamma: float = 0.95
    start_e: float = 1.0
    end_e: float = 0.1
    learning_rate: float = 1e-3


class QNetwork(nn.Module):
    def __init__(self, observation=4, actions=4):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(observation, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU()
        )
        self.value, self.advantage = nn.Linear(24, 1), nn.Linear(24, actions)

    def forward(self, x):
        hidden = self.network(x)
        advantage = self.advantage(hidden)
        return self.value(hidden) + advantage - advantage.mean(-1, keepdim=True)


def linear_schedule(start_e, end_e, duration, t):
    return max((end_e - start_e) / duration * t + start_e, end_e)


def td_loss(q_network, target_network, gamma, data):
    with torch.no_grad():
        target_max = target_network(data.following).amax(1)
        target = data.reward + gamma * target_max * (1 - data.done)
    old = q_network(data.obs).gather(1, data.action.unsqueeze(1)).squeeze(1)
    return F.smooth_l1_loss(old, target)


def main():
    args = Args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    envs = LanternGrid(5, args.num_envs, args.seed)
    memory = ReplayMemory(128)
    q_network = QNetwork()
    target_network = copy.deepcopy(q_network)
    loss_of = torch.compile(td_loss, mode="reduce-overhead", fullgraph=True)
    optimizer = torch.optim.Adam(q_network.parameters(), lr=args.learning_rate)
    obs = envs.observe()
    for global_step in range(args.total_timesteps):
        epsilon = linear_schedule(args.start_e, args.end_e, args.total_timesteps, global_step)
        with torch.no_grad():
            greedy = q_network(obs).argmax(1)
        explore = torch.rand(args.num_envs) < epsilon
        actions = torch.where(explore, torch.randint(0, 4, (args.num_envs,)), greedy)
        following, rewards, dones = envs.step(actions)
        memory.push(obs, actions, rewards, dones, following)
        obs = following
        if len(memory) < args.learning_starts * args.num_envs:
            continue
        loss = loss_of(q_network, target_network, args.gamma, memory.sample(args.batch_size))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if global_step % args.target_network_frequency == 0:
            target_network.load_state_dict(q_network.state_dict())
            print(f"{global_step}: loss {loss.item():.4f}, epsilon {epsilon:.2f}")


if __name__ == "__main__":
    main()
