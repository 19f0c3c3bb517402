import torch


class DataManager:
    def __init__(self, images, size, rays):
        self.generator = torch.Generator().manual_seed(7)
        self.images = torch.rand(images, size, size, 3, generator=self.generator)
        self.centers = torch.randn(images, 3, generator=self.generator)
        self.size, self.rays = size, rays
        self.train_count = 0

    @torch.compile(backend="aot_eager")
    def next_train(self):
        """random pixels of random images as rays, jitter goes down with the steps"""
        self.train_count += 1
        idx = torch.randint(0, self.images.shape[0] * self.size ** 2, (self.rays,), generator=self.generator)
        img, pix = idx // self.size ** 2, idx % self.size ** 2
        y, x = pix // self.size, pix % self.size
        jitter = 0.5 / self.train_count
        direction = torch.stack([x + jitter, y + jitter, torch.full_like(x, self.size)], -1) / self.size
        direction = direction / direction.norm(dim=-1, keepdim=True)
        return torch.cat([self.centers[img], direction], -1), self.images[img, y, x]
