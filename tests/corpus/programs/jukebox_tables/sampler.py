"""Plays of tracks, each with tracks that were not played."""

import torch


class Sampler:
    """Draws harder tasks from round to round: the played track among ever more others."""

    def __init__(self, users, tracks, first=4, more=3, seed=4):
        self.users, self.tracks = users, tracks
        self.first, self.more = first, more
        self.round = 0
        self.generator = torch.Generator().manual_seed(seed)

    def plays(self, batches, batch=16):
        count = self.first + self.more * self.round
        for _ in range(batches):
            users = torch.randint(self.users, (batch,), generator=self.generator)
            played = (users * 7 + users % 3) % self.tracks
            negatives = torch.randint(self.tracks, (batch, count), generator=self.generator)
            yield users, torch.cat([played.unsqueeze(1), negatives], 1)
