"""Speculative decoding with a draft whose length follows its success."""

from dataclasses import dataclass

import torch


@dataclass
class DraftLength:
    """Longer after a draft was accepted whole, shorter after one was rejected."""

    now: int = 3
    shortest: int = 1
    longest: int = 6

    def update(self, accepted):
        step = 1 if accepted == self.now else -2
        self.now = max(self.shortest, min(self.longest, self.now + step))


class Speculator:
    def __init__(self, draft, target, options):
        self.draft = draft.eval()
        self.target = target.eval()
        self.verify = torch.compile(self.target, backend="eager", dynamic=True)
        self.length = DraftLength(**options)

    def summary(self, tokens):
        return self.target.embed(tokens).mean(0)

    def drafted(self, tokens):
        summary, draft = self.summary(tokens), tokens[-1:]
        for _ in range(self.length.now - 1):
            following = self.draft(summary, draft)[-1].argmax(-1, keepdim=True)
            draft = torch.cat([draft, following])
        return draft

    @torch.no_grad()
    def step(self, tokens):
        draft = self.drafted(tokens)
        wanted = self.verify(self.summary(tokens), draft).argmax(-1)
        agreed = (wanted[:-1] == draft[1:]).long().cumprod(0).sum()
        accepted = 1 + int(agreed)
        self.length.update(accepted)
        return torch.cat([tokens, wanted[:accepted]])
