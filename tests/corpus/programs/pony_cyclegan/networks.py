import logging

import torch
from torch import nn

logger = logging.getLogger("networks")


def init_weights(net, init_gain=0.02):
    for m in net.modules():
        if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
            nn.init.normal_(m.weight, 0.0, init_gain)
            nn.init.constant_(m.bias, 0.0)
    return net


class ResnetBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv_block = nn.Sequential(
            nn.Conv2d(dim, dim, 3, padding=1), nn.InstanceNorm2d(dim), nn.ReLU()
        )

    def forward(self, x):
        return x + self.conv_block(x)


class ResnetGenerator(nn.Module):
    def __init__(self, ngf=8, n_blocks=2):
        super().__init__()
        self.model = nn.Sequential(
            nn.Conv2d(3, ngf, 3, stride=2, padding=1),
            nn.ReLU(),
            *[ResnetBlock(ngf) for _ in range(n_blocks)],
            nn.ConvTranspose2d(ngf, 3, 4, stride=2, padding=1),
            nn.Tanh(),
        )

    def forward(self, input):
        return self.model(input)


class NLayerDiscriminator(nn.Module):
    """Defines a PatchGAN discriminator"""

    def __init__(self, ndf=8):
        super().__init__()
        self.model = nn.Sequential(
            nn.Conv2d(3, ndf, 4, stride=2, padding=1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(ndf, 1, 4, stride=1, padding=1),
        )

    def forward(self, input):
        patches = self.model(input)
        logger.debug("patches of %s are %s", tuple(input.shape), tuple(patches.shape))
        return patches


class GANLoss(nn.Module):
    """Least squares, with a buffer for each label."""

    def __init__(self, target_real_label=1.0, target_fake_label=0.0):
        super().__init__()
        self.register_buffer("real_label", torch.tensor(target_real_label))
        self.register_buffer("fake_label", torch.tensor(target_fake_label))
        self.loss = nn.MSELoss()

    def forward(self, prediction, target_is_real):
        target = self.real_label if target_is_real else self.fake_label
        return self.loss(prediction, target.expand_as(prediction))
