"""What was played before a song, and whether the song was skipped."""

import torch
from torch.utils.data import Sampler


class Sessions:
    def __init__(self, count, songs, history=5):
        self.songs = songs
        self.before = torch.randint(0, songs, (count, history))
        self.now = torch.randint(0, songs, (count,))
        self.skipped = ((self.before[:, -1] + self.now) % 3 == 0).float()

    def __len__(self):
        return len(self.now)

    def take(self, chosen):
        chosen = torch.as_tensor(chosen)
        names = ("before", "now", "skipped")
        return {name: getattr(self, name)[chosen] for name in names}


class ByPopularity(Sampler):
    """Indices in groups, popular songs first."""

    def __init__(self, sessions, size):
        counts = torch.bincount(sessions.now, minlength=sessions.songs)
        self.order = counts[sessions.now].argsort(descending=True).tolist()
        self.size = size

    def __iter__(self):
        for first in range(0, len(self.order), self.size):
            yield self.order[first : first + self.size]
