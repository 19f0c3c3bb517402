"""Tells the note that is sung from a spectrum."""

import logging

import clock
import torch
from torch import nn
from torch.nn import functional

log = logging.getLogger(__name__)


def jitter(spectrum, start=0.5):
    """Noise that fades as training goes on."""
    return spectrum + torch.randn_like(spectrum) * start / (2 + clock.STEP)


class Singer(nn.Module):
    def __init__(self, bins, notes, width=16):
        super().__init__()
        self.listen = nn.Linear(bins, width)
        self.name = nn.Linear(width, notes)

    def forward(self, spectrum, note):
        heard = torch.tanh(self.listen(jitter(spectrum)))
        log.info("heard %d windows", heard.shape[0])
        return functional.cross_entropy(self.name(heard), note)
