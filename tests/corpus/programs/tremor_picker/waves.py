"""Seismograms of three components, with an onset somewhere."""

import torch


def tremors(count, batch=3, length=40, seed=2):
    generator = torch.Generator().manual_seed(seed)
    time = torch.arange(length)
    for _ in range(count):
        onset = torch.randint(5, length - 5, (batch,), generator=generator)
        after = (time >= onset[:, None]).float()
        decay = torch.exp(-0.1 * (time - onset[:, None]).clamp(min=0))
        noise = torch.randn(batch, 3, length, generator=generator)
        yield 0.2 * noise + (after * decay).unsqueeze(1) * noise.sign(), onset
