import torch
import torch.nn.functional as F


class RandomHorizontalFlip:
    def __init__(self, prob):
        self.prob = prob

    def __call__(self, image, target):
        if torch.rand(()) < self.prob:
            image = image.flip(-1)
            target["boxes"] = target["boxes"][:, [2, 1, 0, 3]] * torch.tensor([-1, 1, -1, 1.0])
            target["boxes"] = target["boxes"] + torch.tensor([1.0, 0, 1.0, 0])
        return image, target


class RandomShortestSize:
    """Scales at random; the batch is brought to one size by `collate`."""

    def __init__(self, sizes):
        self.sizes = sizes

    def __call__(self, image, target):
        size = self.sizes[int(torch.randint(len(self.sizes), ()))]
        return F.interpolate(image[None], size=(size, size), mode="bilinear")[0], target


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image, target):
        for t in self.transforms:
            image, target = t(image, target)
        return image, target


class Hangars(torch.utils.data.Dataset):
    """One to five aeroplanes in a hangar, seen from above."""

    def __init__(self, n, transforms, seed=0):
        self.n, self.transforms, self.seed = n, transforms, seed

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        g = torch.Generator().manual_seed(1000 * self.seed + idx)
        image = 0.1 * torch.rand(3, 48, 48, generator=g)
        corner = 0.7 * torch.rand(int(torch.randint(1, 6, (), generator=g)), 2, generator=g)
        boxes = torch.cat([corner, corner + 0.2], dim=1)
        for x0, y0, x1, y1 in (48 * boxes).int().tolist():
            image[:, y0:y1, x0:x1] += 0.5
        return self.transforms(image, {"boxes": boxes, "image_id": idx})


def collate(batch, size=40, max_boxes=5):
    images = [F.interpolate(image[None], size=(size, size))[0] for image, _ in batch]
    boxes = torch.zeros(len(batch), max_boxes, 4)
    valid = torch.zeros(len(batch), max_boxes)
    for i, (_, target) in enumerate(batch):
        boxes[i, : len(target["boxes"])] = target["boxes"]
        valid[i, : len(target["boxes"])] = 1
    return torch.stack(images), boxes, valid
