"""Visits to a gallery's site: each session is a sequence of artworks that were looked at."""

import numpy as np
import torch


def simulate(num_items, num_sessions, rng):
    sessions = []
    for _ in range(num_sessions):
        length = int(rng.integers(3, 11))
        room = int(rng.integers(0, 4))
        walk = room * num_items // 4 + rng.integers(0, num_items // 4, size=length)
        sessions.append(walk)
    return sessions


class SessionParallel:
    """Batches as in GRU4Rec: each slot walks through a session, then takes the next one."""

    def __init__(self, sessions, batch_size, window):
        self.sessions = sessions
        self.batch_size = batch_size
        self.window = window

    def __iter__(self):
        order = iter(np.random.permutation(len(self.sessions)))
        slots = [self.sessions[next(order)] for _ in range(self.batch_size)]
        offsets = [0] * self.batch_size
        fresh = [True] * self.batch_size
        while True:
            inputs, targets, resets = [], [], []
            for _ in range(self.window):
                inputs.append([int(s[o]) for s, o in zip(slots, offsets, strict=True)])
                targets.append([int(s[o + 1]) for s, o in zip(slots, offsets, strict=True)])
                resets.append(fresh)
                fresh = [False] * self.batch_size
                for slot in range(self.batch_size):
                    offsets[slot] += 1
                    if offsets[slot] + 1 >= len(slots[slot]):
                        following = next(order, None)
                        if following is None:
                            return
                        slots[slot], offsets[slot] = self.sessions[following], 0
                        fresh[slot] = True
            yield torch.tensor(inputs), torch.tensor(targets), torch.tensor(resets)
