import torch
from torch import nn


class PolicyModule(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 16), nn.Tanh())
        self.pi = nn.Linear(16, actions)
        self.vf = nn.Linear(16, 1)

    def compile_forwards(self, **kw):
        for name in ("exploration", "inference", "train_pass"):
            setattr(self, name, torch.compile(getattr(self, name), **kw))

    def exploration(self, obs, noise):
        return (self.pi(self.body(obs)) + noise).argmax(-1)

    def inference(self, obs):
        return self.pi(self.body(obs)).argmax(-1)

    def train_pass(self, obs, action):
        h = self.body(obs)
        logp = self.pi(h).log_softmax(-1).gather(1, action[:, None])[:, 0]
        return logp, self.vf(h)[:, 0]
