"""Video clips, frame by frame."""

import torch


class Clip:
    """A moving square on a noisy ground."""

    def __init__(self, frames, size=12, channels=2):
        self.frames = []
        for number in range(frames):
            frame = 0.1 * torch.randn(channels, size, size)
            frame[:, number : number + 4, 3:7] += 1.0
            self.frames.append(frame)

    def __len__(self):
        return len(self.frames)

    def with_previous(self):
        """Each frame and the one before it; the first has none and stands for itself."""
        previous = self.frames[0]
        for frame in self.frames:
            yield previous, frame
            previous = frame


def clips(count, frames=5):
    return (Clip(frames) for _ in range(count))
