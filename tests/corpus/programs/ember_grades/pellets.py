"""Pictures of burning wood pellets, graded by how they glow."""

import torch


def create_dataset(num_samples, img_size, seed):
    g = torch.Generator().manual_seed(seed)
    target = torch.randint(0, 5, (num_samples,), generator=g)
    glow = target.view(-1, 1, 1, 1) / 4
    images = torch.randn(num_samples, 3, img_size, img_size, generator=g) * 0.3 + glow
    return torch.utils.data.TensorDataset(images, target)


def create_loader(dataset, batch_size, is_training=False, num_workers=0, worker_seed=0):
    return torch.utils.data.DataLoader(
        dataset,
        batch_size=batch_size,
        shuffle=is_training,
        num_workers=num_workers,
        generator=torch.Generator().manual_seed(worker_seed),
    )
