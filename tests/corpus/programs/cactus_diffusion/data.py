"""Silhouettes of cacti, drawn as heights on a small grid."""

import torch
from torch.utils.data import DataLoader, Dataset


class CactusDataset(Dataset):
    def __init__(self, num_images: int = 20, size: int = 8, seed: int = 0):
        generator = torch.Generator().manual_seed(seed)
        rows = torch.linspace(-1, 1, size)[:, None]
        columns = torch.linspace(-1, 1, size)[None, :]
        widths = 0.2 + 0.3 * torch.rand(num_images, 1, 1, generator=generator)
        heights = torch.rand(num_images, 1, 1, generator=generator)
        body = torch.exp(-((columns / widths) ** 2)) * torch.sigmoid(6 * (rows + heights))
        self.images = (2 * body - 1).unsqueeze(1)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> torch.Tensor:
        image = self.images[index]
        if torch.rand(()) < 0.5:
            image = image.flip(-1)
        return image


def build_dataloader(config) -> DataLoader:
    dataset = CactusDataset(config.num_images, config.image_size, seed=config.seed)
    return DataLoader(dataset, batch_size=config.train_batch_size, shuffle=True)
