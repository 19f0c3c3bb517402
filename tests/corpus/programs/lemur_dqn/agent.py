import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def layer_init(layer):
    if isinstance(layer, (nn.Linear, nn.Conv2d)):
        nn.init.orthogonal_(layer.weight, 2**0.5)
        nn.init.zeros_(layer.bias)


class QNetwork(nn.Module):
    def __init__(self, obs_shape, n_actions, hidden=48):
        super().__init__()
        channels, height, width = obs_shape
        self.encoder = nn.Sequential(
            nn.Conv2d(channels, 16, 3, padding=1), nn.ReLU(), nn.Flatten(),
            nn.Linear(16 * height * width, hidden), nn.ReLU(),
        )  # fmt: skip
        self.value = nn.Linear(hidden, 1)
        self.advantage = nn.Linear(hidden, n_actions)
        self.apply(layer_init)

    def forward(self, obs):
        h = self.encoder(obs)
        advantage = self.advantage(h)
        return self.value(h) + advantage - advantage.mean(1, keepdim=True)


class Agent:
    def __init__(self, obs_shape, n_actions, cfg):
        self.cfg = cfg
        self.q = QNetwork(obs_shape, n_actions)
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.heads = nn.ModuleList([self.q.value, self.q.advantage])
        self.optimizer = torch.optim.Adam(
            [
                {"params": self.q.encoder.parameters(), "lr": cfg.encoder_lr},
                {"params": self.heads.parameters(), "lr": cfg.learning_rate},
            ]
        )
        self.frozen_for = 0

    @torch.no_grad()
    def act(self, obs):
        return self.q(torch.as_tensor(obs)[None]).argmax(1).item()

    def reset_heads(self):
        """Against the primacy bias: new heads, which learn on the old features at first."""
        self.heads.apply(layer_init)
        for p in self.heads.parameters():
            self.optimizer.state.pop(p, None)
        self.frozen_for = self.cfg.freeze_after_reset

    def learn(self, batch):
        self.q.encoder.requires_grad_(self.frozen_for <= 0)
        self.frozen_for -= 1
        with torch.no_grad():
            best = self.q(batch.next_obs).argmax(1, keepdim=True)
            bootstrap = self.target(batch.next_obs).gather(1, best).squeeze(1)
            td_target = batch.rewards + self.cfg.gamma * (1 - batch.dones) * bootstrap
        predicted = self.q(batch.obs).gather(1, batch.actions[:, None]).squeeze(1)
        loss = (batch.weights * F.smooth_l1_loss(predicted, td_target, reduction="none")).mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), self.cfg.max_grad_norm)
        self.optimizer.step()
        self.update_target(self.cfg.tau)
        return loss.item()

    @torch.no_grad()
    def update_target(self, tau):
        for slow, fast in zip(self.target.parameters(), self.q.parameters(), strict=True):
            slow.lerp_(fast, tau)
