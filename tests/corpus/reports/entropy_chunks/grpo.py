import torch
from stats import entropy_from_logits
from torch import nn


class GRPOTrainer:
    def __init__(self, vocab, dim):
        self.model = nn.Sequential(nn.Embedding(vocab, dim), nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, vocab))
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=0.01)

    def step(self, tokens):
        logits = self.model(tokens[:, :-1])
        logp = logits.log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]
        with torch.no_grad():
            entropy = entropy_from_logits(logits).mean()
        loss = -logp.mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item(), entropy.item()
