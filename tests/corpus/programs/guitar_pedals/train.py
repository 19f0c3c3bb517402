"""Renders a guitarist's requests."""

import torch
from board import Board

REQUESTS = [
    "overdrive cabinet",
    "fuzz",
    "overdrive echo cabinet",
    "tremolo cabinet",
    "fuzz echo",
    "overdrive cabinet",
    "tremolo echo",
    "fuzz",
]


def plucked(count=2, samples=2048):
    """Strings that fade, at a few pitches."""
    time = torch.arange(samples) / 8000
    pitch = torch.tensor([110.0, 196.0])[:count, None]
    return torch.exp(-6 * time) * torch.sin(2 * torch.pi * pitch * time)


def main():
    torch.manual_seed(0)
    board = Board()
    dry = plucked()
    with torch.no_grad():
        for request in REQUESTS:
            played = board.play(dry, tuple(request.split()))
            print(f"{request:25} {played.square().mean().sqrt().item():.3f}")


if __name__ == "__main__":
    main()
