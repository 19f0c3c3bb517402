import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self, latent):
        super().__init__()
        self.fc, self.up = nn.Linear(latent, 8 * 16), nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1)

    def forward(self, z):
        return torch.sigmoid(self.up(torch.relu(self.fc(z)).view(-1, 8, 4, 4)))


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, 8, 4, stride=2, padding=1), nn.Linear(8, 1)

    def forward(self, x):
        return self.fc(nn.functional.leaky_relu(self.conv(x), 0.2).mean((2, 3)))[:, 0]
