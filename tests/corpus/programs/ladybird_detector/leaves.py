"""Leaves with one ladybird each: its box is drawn in the colour of its species."""

import torch


def build_train_loader(cfg):
    g = torch.Generator().manual_seed(cfg.seed)
    size, count = cfg.image_size, cfg.solver.ims_per_batch
    while True:
        images = 0.3 * torch.rand(count, 3, size, size, generator=g)
        boxes, species = [], torch.randint(cfg.heads.num_classes, (count,), generator=g)
        for image, kind in zip(images, species.tolist(), strict=True):
            w, h = torch.randint(8, 15, (2,), generator=g).tolist()
            x = torch.randint(0, size - w, (), generator=g).item()
            y = torch.randint(0, size - h, (), generator=g).item()
            image[kind, y : y + h, x : x + w] += 0.7
            boxes.append([x, y, x + w, y + h])
        yield {"images": images, "boxes": torch.tensor(boxes).float(), "species": species}
