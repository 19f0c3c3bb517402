"""A small vocoder stack with weight normalisation."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils import weight_norm


class Stage(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.conv = weight_norm(nn.Conv1d(width, width, 3, padding=dilation, dilation=dilation))
        self.mix = weight_norm(nn.Conv1d(width, width, 1))

    def forward(self, x):
        return x + self.mix(F.leaky_relu(self.conv(x), 0.1))


class Vocoder(nn.Module):
    def __init__(self, mels=8, width=12):
        super().__init__()
        self.inp = nn.Conv1d(mels, width, 1)
        self.stages = nn.Sequential(Stage(width, 1), Stage(width, 2))
        self.out = nn.Conv1d(width, 1, 1)

    def forward(self, mel):
        return torch.tanh(self.out(self.stages(self.inp(mel))))


def main():
    torch.manual_seed(36)
    generator = torch.Generator().manual_seed(36)
    model = Vocoder()
    compiled = torch.compile(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(8):
        mel = torch.randn(4, 8, 40, generator=generator)
        loss = F.l1_loss(compiled(mel), mel.mean(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
