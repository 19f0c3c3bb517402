import torch
from dataio import BOS
from torch import nn


class ConvEncoder(nn.Module):
    """Halves the number of frames twice."""

    def __init__(self, n_mels, units):
        super().__init__()
        self.convs = nn.Sequential(
            nn.Conv1d(n_mels, units, 5, stride=2, padding=2),
            nn.LeakyReLU(0.1),
            nn.Conv1d(units, units, 5, stride=2, padding=2),
            nn.LeakyReLU(0.1),
        )

    def forward(self, mels):
        return self.convs(mels.transpose(1, 2)).transpose(1, 2)


class AttentionalDecoder(nn.Module):
    def __init__(self, n_tokens, units):
        super().__init__()
        self.embed = nn.Embedding(n_tokens, units)
        self.cell = nn.Linear(2 * units, units)
        self.out = nn.Linear(2 * units, n_tokens)

    def forward(self, encoded, tokens):
        fed = torch.cat([torch.full_like(tokens[:, :1], BOS), tokens[:, :-1]], dim=1)
        state = encoded.mean(1)
        states = []
        for token in self.embed(fed).unbind(1):
            state = torch.tanh(self.cell(torch.cat([token, state], dim=-1)))
            states.append(state)
        queries = torch.stack(states, dim=1)
        scores = torch.bmm(queries, encoded.transpose(1, 2)) / encoded.size(-1) ** 0.5
        context = torch.bmm(scores.softmax(-1), encoded)
        return self.out(torch.cat([queries, context], dim=-1))
