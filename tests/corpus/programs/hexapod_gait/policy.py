import torch
from torch import nn

SENSORS = {"imu": 8, "joints": 18, "feet": 6}


class GaitPolicy(nn.Module):
    """Fuses the sensors that answered, remembers, and gives torques."""

    def __init__(self, hidden=32, joints=18):
        super().__init__()
        self.inputs = nn.ModuleDict({k: nn.Linear(n, hidden) for k, n in SENSORS.items()})
        self.memory = nn.GRUCell(hidden, hidden)
        self.torque = nn.Linear(hidden, joints)
        self.hidden = hidden

    def forward(self, reading, memory=None):
        fused = sum(self.inputs[name](value) for name, value in reading.items())
        if memory is None:
            memory = fused.new_zeros(len(fused), self.hidden)
        memory = self.memory(torch.tanh(fused), memory)
        return torch.tanh(self.torque(memory)), memory
