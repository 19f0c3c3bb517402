from random import Random

import torch
from torch import nn


def cycle(dl):
    while True:
        yield from dl


class WovenTokens(torch.utils.data.IterableDataset):
    """Token grids of tapestries in three formats, with the embedding of a caption."""

    formats = ((4, 4), (4, 6), (4, 8))

    def __init__(self, batch, num_tokens, dim_text, text_len=5, seed=0):
        self.batch, self.num_tokens = batch, num_tokens
        self.dim_text, self.text_len, self.seed = dim_text, text_len, seed

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        while True:
            for h, w in self.formats:
                threads = torch.randint(0, self.num_tokens, (self.batch, 1, w), generator=g)
                text = torch.randn(self.batch, self.text_len, self.dim_text, generator=g)
                yield threads.expand(-1, h, -1).flatten(1), text


class MaskGitTrainer(nn.Module):
    def __init__(
        self, maskgit, dataset, *, lr=1e-3, cond_drop_prob=0.25, max_grad_norm=0.5, seed=0
    ):
        super().__init__()
        self.model = maskgit
        self.dl = cycle(torch.utils.data.DataLoader(dataset, batch_size=None))
        self.opt = torch.optim.Adam(maskgit.parameters(), lr=lr, betas=(0.9, 0.99))
        self.cond_drop_prob = cond_drop_prob
        self.max_grad_norm = max_grad_norm
        self.rng = Random(seed)
        self.register_buffer("step", torch.zeros((), dtype=torch.long))

    def train_step(self):
        ids, text_embeds = next(self.dl)
        if self.rng.random() < self.cond_drop_prob:
            text_embeds = None
        loss = self.model(ids, text_embeds=text_embeds)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_grad_norm)
        self.opt.step()
        self.opt.zero_grad()
        self.step += 1
        return loss.detach()

    def forward(self, num_train_steps):
        for _ in range(num_train_steps):
            loss = self.train_step()
            if not (self.step % 6):
                print(f"step {self.step.item()}: loss {loss.item():.3f}")
