"""Events of a small retina camera on which a bar moves in one of four directions."""

import torch


def moving_bar(direction, steps, side, generator):
    frames = torch.zeros(steps, side, side)
    start = int(torch.randint(0, side, (), generator=generator))
    for t in range(steps):
        at = (start + (t if direction % 2 else -t)) % side
        if direction < 2:
            frames[t, at] = 1
        else:
            frames[t, :, at] = 1
    noise = torch.rand(frames.shape, generator=generator) < 0.05
    return (frames + noise).clamp(max=1).flatten(1)


def batch(size, steps, generator, side=5):
    labels = torch.randint(0, 4, (size,), generator=generator)
    bars = [moving_bar(int(label), steps, side, generator) for label in labels]
    return torch.stack(bars, dim=1), labels
