import torch
from torch import nn


class Agent:
    def __init__(self, obs_dim, n_actions):
        self.policy = nn.Linear(obs_dim, n_actions).requires_grad_(False)
        self.value = nn.Linear(obs_dim, 1).requires_grad_(False)
        self.dynamics = nn.Linear(obs_dim + n_actions, obs_dim).requires_grad_(False)
        self.step = torch.compile(self._step)

    def _step(self, state):
        probs = self.policy(state["obs"]).softmax(-1)
        state["value"] = self.value(state["obs"])
        nxt = torch.tanh(self.dynamics(torch.cat([state["obs"], probs], -1)))
        state["loss"] = (state["value"] - 0.99 * self.value(nxt)).pow(2).mean()
        state["obs"] = nxt
        return state
