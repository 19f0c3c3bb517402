from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words=60, width=16, tags=5):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.conv = nn.Conv1d(width, width, 3, padding=1)
        self.out = nn.Linear(width, tags)

    def forward(self, tokens):
        x = self.embed(tokens).transpose(1, 2)
        return self.out(torch.relu(self.conv(x)).transpose(1, 2))


class Service:
    def __init__(self):
        torch.set_grad_enabled(False)
        self.net = torch.compile(Tagger().eval(), backend="aot_eager")
        self.pool = ThreadPoolExecutor(max_workers=1)

    def warm_up(self):
        self.net(torch.zeros(4, 12, dtype=torch.long))

    def handle(self, tokens):
        logits = self.net(tokens)
        return logits.argmax(-1), logits.logsumexp(-1).sum()

    def submit(self, tokens):
        return self.pool.submit(self.handle, tokens)
