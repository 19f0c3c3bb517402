"""Trains a small recognizer with CTC."""

import torch
from freezing import LateLearner
from speech import ALPHABET, batches
from torch import nn


class Recognizer(LateLearner, nn.Module):
    def __init__(self, bands=6, width=12):
        super().__init__()
        self.front = nn.Conv1d(bands, width, 3, padding=1)
        self.mix = nn.Sequential(nn.ReLU(), nn.Conv1d(width, width, 5, padding=2), nn.ReLU())
        self.letters = nn.Linear(width, ALPHABET)

    def forward(self, sounds):
        hidden = self.mix(self.front(sounds.transpose(1, 2)))
        return self.letters(hidden.permute(2, 0, 1)).log_softmax(2)


def main(epochs=2):
    torch.manual_seed(0)
    recognizer = Recognizer()
    ctc = nn.CTCLoss(zero_infinity=True)
    optimizer = torch.optim.Adam(recognizer.parameters(), lr=5e-3)
    for _ in range(epochs):
        for sounds, letters, frames in batches():
            recognizer.before_batch()
            told = recognizer(sounds)
            lengths = torch.full((len(letters),), letters.shape[1])
            loss = ctc(told, letters, frames, lengths)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(recognizer.parameters(), 1.0)
            optimizer.step()


if __name__ == "__main__":
    main()
