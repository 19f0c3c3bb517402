"""Draw affine parameters in a compiled augmentation."""
import torch
from torch import nn


class PlainUniform:
    """Draws one number per sampler and row."""

    def __init__(self, *samplers):
        self.samplers = samplers

    def device(self):
        for low, high in self.samplers:
            if isinstance(low, torch.Tensor):
                return low.device
        return torch.get_default_device()

    def draw(self, rows):
        device = self.device()
        drawn = []
        for low, high in self.samplers:
            drawn.append(low + (high - low) * torch.rand(rows, device=device))
        return drawn


class RandomAffine(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = PlainUniform((-0.2, 0.2), (0.9, 1.1))

    def forward(self, images):
        angle, zoom = self.generator.draw(images.shape[0])
        cos, sin, zero = angle.cos() * zoom, angle.sin() * zoom, torch.zeros_like(angle)
        theta = torch.stack([torch.stack([cos, -sin, zero], -1), torch.stack([sin, cos, zero], -1)], 1)
        grid = nn.functional.affine_grid(theta, images.shape, align_corners=False)
        return nn.functional.grid_sample(images, grid, align_corners=False)


def main():
    torch.manual_seed(7)
    augment = torch.compile(RandomAffine(), backend="eager")
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(5):
        images, labels = torch.rand(6, 1, 8, 8), torch.randint(2, (6,))
        loss = nn.functional.cross_entropy(net(augment(images)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
