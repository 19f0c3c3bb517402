"""Matting: a detail decoder that is compiled, fed with photographs of many sizes."""
import torch
import torch._dynamo
from torch import nn
import torch.nn.functional as F

torch._dynamo.config.automatic_dynamic_shapes = False

PHOTOS = [(40, 72), (48, 64), (64, 56), (80, 40), (56, 72), (72, 48), (64, 72), (88, 32), (48, 80), (60, 52), (36, 88), (52, 68)]


class DetailDecoder(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.down = nn.Conv2d(4, width, 3, stride=2, padding=1)
        self.mid = nn.Conv2d(width, width, 3, padding=1)
        self.fuse = nn.Conv2d(width + 4, width, 3, padding=1)
        self.alpha = nn.Conv2d(width, 1, 1)

    def forward(self, picture, trimap):
        x = torch.cat([picture, trimap], dim=1)
        y = F.relu(self.down(x))
        y = F.relu(self.mid(y))
        y = F.interpolate(y, scale_factor=2, mode="nearest")
        y = F.relu(self.fuse(torch.cat([x, y], dim=1)))
        return torch.sigmoid(self.alpha(y))


def photograph(size, generator):
    h, w = size
    picture = torch.rand(1, 3, h, w, generator=generator)
    alpha = (picture.mean(dim=1, keepdim=True) > 0.5).float()
    trimap = 0.5 * torch.ones_like(alpha)
    return picture, trimap, alpha


def main():
    torch.manual_seed(21)
    generator = torch.Generator().manual_seed(2)
    decoder = DetailDecoder()
    compiled = torch.compile(decoder, backend="aot_eager")
    optimizer = torch.optim.Adam(decoder.parameters(), lr=1e-2)
    for number, size in enumerate(PHOTOS):
        picture, trimap, alpha = photograph(size, generator)
        loss = F.l1_loss(compiled(picture, trimap), alpha)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"photo {number} {size[0]}x{size[1]} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
