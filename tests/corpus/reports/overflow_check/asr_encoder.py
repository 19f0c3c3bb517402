import torch
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, 2 * dim)
        self.fc2 = nn.Linear(2 * dim, dim)

    def forward(self, x):
        x = x + self.fc2(torch.relu(self.fc1(self.norm(x))))
        # half precision may overflow here
        if torch.isinf(x).any() or torch.isnan(x).any():
            bound = torch.finfo(x.dtype).max - 1000
            x = torch.clamp(x, min=-bound, max=bound)
        return x


class AudioEncoder(nn.Module):
    def __init__(self, mels, dim, layers):
        super().__init__()
        self.proj = nn.Linear(mels, dim)
        self.layers = nn.ModuleList([EncoderLayer(dim) for _ in range(layers)])
        self.norm = nn.LayerNorm(dim)

    def forward(self, feats):
        x = torch.tanh(self.proj(feats))
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)
