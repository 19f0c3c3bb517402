"""Tags songs with moods."""

import torch
from audio import clips, masked
from mixing import Mixup
from torch import nn
from torch.nn import functional


class Tagger(nn.Module):
    def __init__(self, bands=8, moods=5, width=12):
        super().__init__()
        self.frames = nn.Linear(bands, width)
        self.moods = nn.Linear(width, moods)

    def forward(self, spectra, share):
        if spectra.dim() == 4:
            spectra = spectra.mean(1)
        hidden = self.frames(masked(spectra).transpose(1, 2)).relu().mean(1)
        mixed = share * hidden + (1 - share) * hidden.flip(0)
        return self.moods(mixed)


def main(steps=8):
    torch.manual_seed(0)
    tagger = Tagger()
    compiled = torch.compile(tagger, backend="eager", dynamic=False)
    optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-2)
    mixup = Mixup()
    for spectra in clips(steps):
        moods = (torch.rand(len(spectra), 5) > 0.5).float()
        share = mixup.share
        logits = compiled(spectra, share)
        loss = share * functional.binary_cross_entropy_with_logits(logits, moods)
        loss = loss + (1 - share) * functional.binary_cross_entropy_with_logits(
            logits, moods.flip(0)
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
