"""Fits a synthesizer of a cello to recordings."""

import torch
from recordings import recorded
from synth import String
from torch._dynamo import compiled_autograd


def spectral_distance(guess, sound):
    """Between spectra, by a matrix of cosines rather than an FFT."""
    n = guess.shape[-1]
    at = torch.arange(n, dtype=torch.float32)
    cosines = torch.cos(torch.pi / n * (at[:, None] + 0.5) * at)
    return (guess @ cosines - sound @ cosines).abs().mean()


def main(takes=2):
    torch.manual_seed(0)
    string = String()
    optimizer = torch.optim.Adam(string.parameters(), lr=0.02)
    worst = {}
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for bowing, pitch, delay, sound in recorded(takes):
            loss = spectral_distance(string(bowing, pitch, delay), sound)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            worst[delay] = max(worst.get(delay, 0.0), loss.item())


if __name__ == "__main__":
    main()
