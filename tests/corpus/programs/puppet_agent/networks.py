import torch
import torch.nn.functional as F
from torch import nn


class QuantileNetwork(nn.Module):
    def __init__(self, obs_dim, n_actions, n_quantiles, width=32):
        super().__init__()
        self.n_actions, self.n_quantiles = n_actions, n_quantiles
        self.trunk = nn.Sequential(nn.Linear(obs_dim, width), nn.ReLU())
        self.value = nn.Linear(width, n_quantiles)
        self.advantage = nn.Linear(width, n_actions * n_quantiles)
        taus = (torch.arange(n_quantiles) + 0.5) / n_quantiles
        self.register_buffer("taus", taus)

    def forward(self, obs):
        h = self.trunk(obs)
        advantage = self.advantage(h).view(-1, self.n_actions, self.n_quantiles)
        centred = advantage - advantage.mean(1, keepdim=True)
        return self.value(h).unsqueeze(1) + centred


def quantile_huber(pred, target, taus, kappa):
    """Dabney et al. (2018), eq. 10; `pred` and `target` are [batch, quantiles]."""
    pred, target = torch.broadcast_tensors(pred.unsqueeze(2), target.unsqueeze(1))
    below = (target.detach() < pred.detach()).float()
    huber = F.huber_loss(pred, target, reduction="none", delta=kappa)
    return ((taus.view(1, -1, 1) - below).abs() * huber / kappa).sum(1).mean()
