"""Trains the separator, a stem a step."""

import torch
from model import Separator
from stems import STEMS, jobs
from torch.nn import functional


def mixtures(generator, frames=8, bins=10):
    sources = torch.rand(len(STEMS), frames, bins, generator=generator)
    return sources.sum(0), dict(zip(STEMS, sources, strict=True))


def main(steps=10):
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    model = Separator()
    separate = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for job in jobs(steps):
        mixture, sources = mixtures(generator)
        loss = functional.l1_loss(separate(mixture, job), sources[job.stem])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
