"""From phonemes to frames: each phoneme lasts as long as it is predicted to."""

from torch import nn


class LengthRegulator(nn.Module):
    def forward(self, phonemes, durations):
        return phonemes.repeat_interleave(durations, dim=0)


class Synthesizer(nn.Module):
    def __init__(self, phonemes=30, width=16, bins=8):
        super().__init__()
        self.embed = nn.Embedding(phonemes, width)
        self.encoder = nn.Conv1d(width, width, 3, padding=1)
        self.regulate = LengthRegulator()
        self.decoder = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, bins))

    def forward(self, phonemes, durations):
        hidden = self.encoder(self.embed(phonemes).mT).relu().mT
        frames = self.regulate(hidden, durations)
        return self.decoder(frames)
