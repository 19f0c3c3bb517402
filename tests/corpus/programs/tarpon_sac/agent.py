import torch
import torch.nn as nn
import torch.nn.functional as F

LOG_STD_MAX = 2
LOG_STD_MIN = -5


class SoftQNetwork(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim + act_dim, 32)
        self.fc2 = nn.Linear(32, 32)
        self.fc3 = nn.Linear(32, 1)

    def forward(self, x, a):
        x = torch.cat([x, a], 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


class Actor(nn.Module):
    def __init__(self, obs_dim, act_dim, act_limit):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim, 32)
        self.fc_mean = nn.Linear(32, act_dim)
        self.fc_logstd = nn.Linear(32, act_dim)
        self.register_buffer("action_scale", torch.tensor(act_limit))

    def forward(self, x):
        x = F.relu(self.fc1(x))
        log_std = self.fc_logstd(x).clamp(LOG_STD_MIN, LOG_STD_MAX)
        return self.fc_mean(x), log_std

    def get_action(self, x):
        mean, log_std = self(x)
        normal = torch.distributions.Normal(mean, log_std.exp())
        x_t = normal.rsample()
        y_t = torch.tanh(x_t)
        log_prob = normal.log_prob(x_t)
        log_prob = log_prob - torch.log(self.action_scale * (1 - y_t.pow(2)) + 1e-6)
        return y_t * self.action_scale, log_prob.sum(1, keepdim=True)


@torch.no_grad()
def polyak(source, target, tau):
    for p, p_target in zip(source.parameters(), target.parameters(), strict=True):
        p_target.mul_(1 - tau).add_(p, alpha=tau)
