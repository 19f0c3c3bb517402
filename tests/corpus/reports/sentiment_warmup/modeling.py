import torch
from torch import nn


class FinBert(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.word = nn.Embedding(vocab, hidden)
        self.mix = nn.Linear(hidden, hidden)
        self.classifier = nn.Linear(hidden, 2)

    def forward(self, input_ids):
        h = self.word(input_ids)
        h = torch.tanh(self.mix(h) + h)
        return self.classifier(h.mean(dim=1))
