"""Clicks on a catalog, streamed from shards."""

import torch
from torch.utils.data import DataLoader, IterableDataset


class ClickShards(IterableDataset):
    """Shards of any size; each is shuffled by itself."""

    def __init__(self, sizes, users, items):
        self.shards = [
            {
                "user": torch.randint(0, users, (size, 1)),
                "item": torch.randint(0, items, (size, 1)),
                "user_features": torch.randn(size, 4),
                "item_features": torch.randn(size, 4),
                "clicked": torch.randint(0, 2, (size, 1)).float(),
            }
            for size in sizes
        ]

    def __iter__(self):
        for shard in self.shards:
            for row in torch.randperm(len(shard["user"])).tolist():
                yield {name: column[row] for name, column in shard.items()}


def to_batch(rows):
    return {name: torch.stack([row[name] for row in rows]).squeeze() for name in rows[0]}


def click_loader(batch_size):
    shards = ClickShards((23, 18, 24), users=30, items=50)
    return DataLoader(shards, batch_size=batch_size, collate_fn=to_batch)
