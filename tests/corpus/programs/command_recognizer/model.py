"""M5-like network over mel frames."""

import torch.nn as nn
import torch.nn.functional as F
from audio import COMMANDS, N_MELS


class CommandNet(nn.Module):
    def __init__(self, n_channel=24):
        super().__init__()
        self.conv1 = nn.Conv1d(N_MELS, n_channel, kernel_size=5, padding=2)
        self.bn1 = nn.BatchNorm1d(n_channel)
        self.conv2 = nn.Conv1d(n_channel, 2 * n_channel, kernel_size=3, padding=1)
        self.bn2 = nn.BatchNorm1d(2 * n_channel)
        self.fc = nn.Linear(2 * n_channel, len(COMMANDS))

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.max_pool1d(x, 2)
        x = F.relu(self.bn2(self.conv2(x)))
        return self.fc(x.mean(dim=-1))
