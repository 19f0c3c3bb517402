"""Deep Q-learning with a target network."""

import copy
import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Batch = namedtuple("Batch", "obs action reward following done")
DemoBatch = namedtuple("DemoBatch", "obs action reward following done")


class QNet(nn.Module):
    def __init__(self, obs=4, actions=4, hidden=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU(), nn.Linear(hidden, actions))

    def forward(self, x):
        return self.net(x)


def collate(rows):
    obs, action, reward, following, done = zip(*rows, strict=True)
    return (
        torch.stack(obs),
        torch.tensor(action),
        torch.tensor(reward),
        torch.stack(following),
        torch.tensor(done, dtype=torch.float32),
    )


class ReplayBuffer:
    def __init__(self, capacity=500):
        self.rows = deque(maxlen=capacity)

    def push(self, *row):
        self.rows.append(row)

    def sample(self, count):
        return Batch(*collate(random.sample(self.rows, count)))


class Demonstrations:
    """Steps of a guide who goes right and down until it is out."""

    def __init__(self, env, count=64):
        self.rows = []
        obs = env.reset()
        while len(self.rows) < count:
            action = random.choice([0, 1])
            following, reward, done = env.step(action)
            self.rows.append((obs, action, reward, following, done))
            obs = env.reset() if done else following

    def sample(self, count):
        return DemoBatch(*collate(random.sample(self.rows, count)))


class DQN:
    def __init__(self, gamma=0.95, n_step_decay=3):
        self.online = QNet()
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.gamma = gamma
        self.n_step_decay = n_step_decay

    def td_loss(self, batch, updates):
        obs, action, reward, following, done = batch
        q = self.online(obs).gather(1, action[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.target(following).amax(1)
            wanted = reward + self.gamma * (1 - done) * best
        loss = F.smooth_l1_loss(q, wanted)
        if updates % 4 == 0:
            loss = loss + 1e-3 * sum(p.pow(2).sum() for p in self.online.parameters())
        return loss

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())
