import torch
from torch import nn


class DurationPredictor(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lstm = nn.LSTM(dim, dim // 2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(dim, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return torch.sigmoid(self.out(torch.relu(out)))[..., 0]


class TextEncoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, dim, 5, padding=2)
        self.norm = nn.LayerNorm(dim)
        self.lstm = nn.LSTM(dim, dim, batch_first=True)
        self.duration = DurationPredictor(dim)
        self.mel = nn.Linear(dim, 20)

    def forward(self, phonemes):
        x = self.conv(self.embed(phonemes).transpose(1, 2)).transpose(1, 2)
        x = self.norm(torch.relu(x))
        h, _ = self.lstm(x)
        return self.mel(torch.tanh(h)), self.duration(h)
