"""Double Q-learning."""

import copy

import torch
from torch import nn


class Agent:
    def __init__(self, observations=5, actions=3, width=24, discount=0.95, lr=1e-3):
        self.online = nn.Sequential(
            nn.Linear(observations, width), nn.ReLU(), nn.Linear(width, actions)
        )
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.discount = discount
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=lr)

    def errors(self, now, action, reward, then):
        value = self.online(now).gather(1, action[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.online(then).argmax(1, keepdim=True)
            goal = reward + self.discount * self.target(then).gather(1, best).squeeze(1)
        return value - goal

    def learn(self, transition, weight):
        errors = self.errors(*transition)
        loss = (weight * errors.square()).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return errors

    def synchronize(self):
        self.target.load_state_dict(self.online.state_dict())
