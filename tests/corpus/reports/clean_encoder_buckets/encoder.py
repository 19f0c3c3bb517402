import torch
from torch import nn

CHUNK = 300


class ChunkEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Conv1d(1, dim, 20, stride=10)
        self.out = nn.Linear(dim, dim)

    def forward(self, chunks):
        x = torch.relu(self.conv(chunks[:, None]))
        return torch.tanh(self.out(x.mean(-1)))
