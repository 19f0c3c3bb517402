import torch
import torch.nn.functional as F
from metrics import masked_accuracy
from torch import nn


class DraftTrainer(nn.Module):
    """draft head that is unrolled a few tokens ahead of the target model"""

    def __init__(self, vocab, dim, unroll):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cell = nn.Linear(2 * dim, dim)
        self.head = nn.Linear(dim, vocab)
        self.unroll = unroll

    def forward(self, tokens, mask):
        hidden = self.embed(tokens[:, :-1])
        target = tokens[:, 1:]
        losses, accs = [], []
        for _ in range(self.unroll):
            hidden = torch.tanh(self.cell(torch.cat([hidden, self.embed(tokens[:, :-1])], -1)))
            logits = self.head(hidden)
            nll = F.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none")
            losses.append((nll.view_as(mask) * mask).sum() / mask.sum())
            accs.append(masked_accuracy(logits, target, mask))
        return losses, accs
