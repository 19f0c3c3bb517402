import numpy as np
import torch


class InteractionLoader:
    """Equal batches of one shard after another; what is left of a shard is dropped."""

    def __init__(self, shards, batch_size, seed=0):
        self.shards = list(shards)
        self.batch_size = batch_size
        self.rng = np.random.default_rng(seed)
        self.mean = float(np.mean([shard.ratings.mean() for shard in self.shards]))

    def __len__(self):
        return sum(len(shard.users) // self.batch_size for shard in self.shards)

    def __iter__(self):
        for shard in self.shards:
            order = self.rng.permutation(len(shard.users))
            for first in range(0, len(order) - self.batch_size + 1, self.batch_size):
                rows = order[first : first + self.batch_size]
                yield {
                    "user": torch.from_numpy(shard.users[rows]),
                    "item": torch.from_numpy(shard.items[rows]),
                    "rating": torch.from_numpy(shard.ratings[rows]),
                }
