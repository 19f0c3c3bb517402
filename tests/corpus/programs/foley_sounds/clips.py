"""Made-up foley: steps, doors and rain, as log spectrograms of different lengths."""

import torch

CLASSES = ["steps", "door", "rain"]
BANDS = 20


def clip(label, frames, generator):
    time, band = torch.arange(frames)[:, None], torch.arange(BANDS)[None]
    if label == 0:
        shape = ((time % 8) < 2) * (band < 8)
    elif label == 1:
        shape = torch.exp(-time / 6) * (band > 4)
    else:
        shape = torch.ones(frames, BANDS) * 0.4
    return shape + 0.3 * torch.randn(frames, BANDS, generator=generator)


class Clips(torch.utils.data.Dataset):
    def __init__(self, count, seed, shortest=24, longest=48):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, len(CLASSES), (count,), generator=g).tolist()
        frames = torch.randint(shortest, longest + 1, (count,), generator=g).tolist()
        self.clips = [clip(y, n, g) for y, n in zip(self.labels, frames, strict=True)]

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, index):
        return self.clips[index], self.labels[index]
