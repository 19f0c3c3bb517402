import torch
import torch.nn as nn
import torch.nn.functional as F


class QNetwork(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim + act_dim, 24)
        self.fc2 = nn.Linear(24, 24)
        self.fc3 = nn.Linear(24, 1)

    def forward(self, x, a):
        x = F.relu(self.fc1(torch.cat([x, a], 1)))
        return self.fc3(F.relu(self.fc2(x)))


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim, action_scale=1.0):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim, 24)
        self.fc_mu = nn.Linear(24, act_dim)
        self.register_buffer("action_scale", torch.tensor(action_scale))

    def forward(self, x):
        return torch.tanh(self.fc_mu(F.relu(self.fc1(x)))) * self.action_scale
