"""Actor and critics of SAC."""

import torch
import torch.nn as nn
import torch.nn.functional as F

LOG_STD_MAX, LOG_STD_MIN = 2, -5


class SoftQNetwork(nn.Module):
    def __init__(self, env, width=32):
        super().__init__()
        self.fc1 = nn.Linear(env.obs_dim + env.act_dim, width)
        self.fc2 = nn.Linear(width, 1)

    def forward(self, x, a):
        return self.fc2(F.relu(self.fc1(torch.cat([x, a], 1))))


class Actor(nn.Module):
    def __init__(self, env, width=32):
        super().__init__()
        self.fc1 = nn.Linear(env.obs_dim, width)
        self.fc_mean = nn.Linear(width, env.act_dim)
        self.fc_logstd = nn.Linear(width, env.act_dim)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        log_std = torch.tanh(self.fc_logstd(x))
        log_std = LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)
        return self.fc_mean(x), log_std

    def get_action(self, x):
        mean, log_std = self(x)
        noise = torch.randn_like(mean)
        x_t = mean + log_std.exp() * noise
        action = torch.tanh(x_t)
        log_prob = -0.5 * noise.square() - log_std - torch.log(1 - action.square() + 1e-6)
        return action, log_prob.sum(1, keepdim=True)
