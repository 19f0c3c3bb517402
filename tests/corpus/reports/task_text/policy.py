import torch
from text import encode
from torch import nn


class FlowModel(nn.Module):
    def __init__(self, dim, action_dim):
        super().__init__()
        self.words = nn.Embedding(64, dim)
        self.state = nn.Linear(8, dim)
        self.flow = nn.Linear(dim + action_dim, action_dim)
        self.action_dim = action_dim

    def sample_actions(self, obs, token_ids):
        ctx = self.words(token_ids).mean(0, keepdim=True) + self.state(obs)
        a = torch.zeros(obs.shape[0], self.action_dim)
        for _ in range(4):
            a = a + 0.25 * torch.tanh(self.flow(torch.cat([ctx, a], -1)))
        return a


class Policy(nn.Module):
    def __init__(self, dim, action_dim):
        super().__init__()
        self.model = FlowModel(dim, action_dim)

    def sample_actions(self, obs, task):
        token_ids = torch.tensor(encode(task, max_len=8))
        return self.model.sample_actions(obs, token_ids)
