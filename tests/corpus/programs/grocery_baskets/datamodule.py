import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


class BasketDataModule:
    """Baskets of items, and the item that was put in last."""

    def __init__(self, items, baskets, basket_size, batch_size, drop_last):
        self.batch_size = batch_size
        self.drop_last = drop_last
        generator = torch.Generator().manual_seed(11)
        # People buy neighbours on the shelf.
        aisle = torch.randint(0, items - 8, (baskets, 1), generator=generator)
        content = aisle + torch.randint(0, 8, (baskets, basket_size + 1), generator=generator)
        full = TensorDataset(content[:, :-1], content[:, -1])
        self.train_set, self.val_set = random_split(full, [baskets - 32, 32], generator)

    def train_dataloader(self):
        return DataLoader(
            self.train_set, batch_size=self.batch_size, shuffle=True, drop_last=self.drop_last
        )

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.batch_size)
