import torch
from torch import nn


class LeakyRNN(nn.Module):
    def __init__(self, n_in, n_hidden, leak=0.3):
        super().__init__()
        self.leak = leak
        self.w_in = nn.Linear(n_in, n_hidden)
        self.w_rec = nn.Linear(n_hidden, n_hidden)
        self.w_out = nn.Linear(n_hidden, 1)

    def step(self, x_t, h):
        return (1 - self.leak) * h + self.leak * torch.tanh(self.w_in(x_t) + self.w_rec(h))

    def forward(self, x):
        h = torch.zeros(x.shape[1], self.w_rec.in_features)
        for t in range(x.shape[0]):
            h = self.step(x[t], h)
        return self.w_out(h)
