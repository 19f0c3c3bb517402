"""Predicts a density map whose sum is the number of pills on a tray."""

from torch import nn


class DensityNet(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1),
            nn.GELU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.GELU(),
        )
        self.density = nn.Conv2d(width, 1, 1)

    def forward(self, trays):
        return nn.functional.softplus(self.density(self.trunk(trays))).squeeze(1)


def counting_loss(density, centers, sharpness=4.0):
    """Squared error of the map, in units of what there is to count."""
    pills = centers.sum().item()
    per_pixel = (density - centers * sharpness).square().sum() / max(pills, 1.0)
    per_tray = (density.sum((1, 2)) - centers.sum((1, 2))).abs().mean()
    return per_pixel + 0.1 * per_tray
