import torch


class ClassificationPresetTrain:
    def __init__(self, *, crop_size, mean=0.5, std=0.25, hflip_prob=0.5):
        self.crop_size, self.mean, self.std, self.hflip_prob = crop_size, mean, std, hflip_prob

    def __call__(self, img):
        room = img.shape[-1] - self.crop_size
        top, left = torch.randint(0, room + 1, (2,)).tolist()
        img = img[:, top : top + self.crop_size, left : left + self.crop_size]
        if torch.rand(1) < self.hflip_prob:
            img = img.flip(-1)
        return (img - self.mean) / self.std


class ClassificationPresetEval:
    def __init__(self, *, crop_size, mean=0.5, std=0.25):
        self.crop_size, self.mean, self.std = crop_size, mean, std

    def __call__(self, img):
        edge = (img.shape[-1] - self.crop_size) // 2
        img = img[:, edge : edge + self.crop_size, edge : edge + self.crop_size]
        return (img - self.mean) / self.std


class Pastries(torch.utils.data.Dataset):
    def __init__(self, count, seed, transform):
        g = torch.Generator().manual_seed(seed)
        self.images = torch.rand(count, 3, 20, 20, generator=g)
        self.labels = torch.randint(0, 5, (count,), generator=g)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.transform(self.images[index]), int(self.labels[index])
