"""Multi-crop views of stained tissue tiles: a pair of global crops and some local ones."""

import torch
import torch.nn.functional as F


def make_tiles(count, size=32, seed=0):
    g = torch.Generator().manual_seed(seed)
    stain = torch.rand(count, 3, 1, 1, generator=g)
    coarse = torch.randn(count, 3, 4, 4, generator=g)
    texture = F.interpolate(coarse, size=size, mode="bilinear", align_corners=False)
    return stain + 0.3 * texture + 0.05 * torch.randn(count, 3, size, size, generator=g)


class DataAugmentationDINO:
    def __init__(self, global_size=16, local_size=8, local_crops_number=2):
        self.sizes = [global_size, global_size] + [local_size] * local_crops_number

    def crop(self, tile, size):
        scale = size + int(torch.randint(0, 8, ()))
        top, left = torch.randint(0, tile.shape[-1] - scale + 1, (2,)).tolist()
        patch = tile[:, top : top + scale, left : left + scale].unsqueeze(0)
        patch = F.interpolate(patch, size=size, mode="bilinear", align_corners=False)[0]
        if torch.rand(()) < 0.5:
            patch = patch.flip(-1)
        return patch + 0.1 * torch.randn(3, 1, 1)

    def __call__(self, tile):
        return [self.crop(tile, size) for size in self.sizes]


def view_loader(tiles, batch_size, augment):
    order = torch.randperm(len(tiles))
    for start in range(0, len(tiles) - batch_size + 1, batch_size):
        views = [augment(tiles[i]) for i in order[start : start + batch_size].tolist()]
        yield [torch.stack(crops) for crops in zip(*views, strict=True)]
