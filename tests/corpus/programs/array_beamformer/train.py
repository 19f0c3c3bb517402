"""Scans the room by turns to the front and to the back."""

from itertools import cycle, islice

import torch
from microphones import recording, spectrum, steering


def beam(spectra, weights):
    """Adds up the microphones, phases aligned; the power in each band."""
    focused = torch.einsum("bm,mbt->bt", weights, spectra)
    return focused.abs().square().mean(1)


def main():
    torch.manual_seed(0)
    delays = torch.tensor([0.0, 1.0, 2.0, 3.0])
    window = torch.hann_window(32)
    powers = torch.compile(beam, backend="eager", fullgraph=True)
    found = {"forward": [], "backward": []}
    for look in islice(cycle(found), 6):
        spectra = spectrum(recording(4, 256, delays), window)
        found[look].append(powers(spectra, steering(17, delays, look)))
    print({look: torch.stack(many).mean().item() for look, many in found.items()})


if __name__ == "__main__":
    main()
