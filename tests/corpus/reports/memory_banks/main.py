"""Video object tracker: long- and short-term memory banks go back into the next frame."""
import argparse

import torch

from memory import Banks
from tracker import Tracker


def frames(count):
    generator = torch.Generator().manual_seed(6)
    for _ in range(count):
        yield torch.randn(1, 10, 16, generator=generator)


class Session:
    """Holds the state of one clip."""

    def __init__(self, tracker, refresh_every):
        self.tracker = tracker
        self.propagate = torch.compile(tracker.propagate, backend="eager")
        self.refresh_every = refresh_every
        self.banks = None

    def reference(self, frame):
        self.banks = Banks(self.tracker.encode(frame), self.tracker.encode(frame))

    def track(self, index, frame):
        if index % self.refresh_every == 0:
            self.banks.keep_long(self.tracker.encode(frame))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out, short = self.propagate(frame, self.banks.long, self.banks.short)
        self.banks.keep_short(short)
        if index % 5 == 4:
            self.banks.promote()
        return out


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=14)
    parser.add_argument("--refresh", type=int, default=7)
    options = parser.parse_args()
    torch.manual_seed(6)
    session = Session(Tracker(16), options.refresh)
    total = 0.0
    for index, frame in enumerate(frames(options.frames)):
        if index == 0:
            session.reference(frame)
            continue
        total += session.track(index, frame).float().square().mean().item()
    print("FINAL %.3f" % total)


if __name__ == "__main__":
    main()
