"""Learns pitch and timbre with one encoder."""

import torch
from tasks import turns
from torch import nn
from torch._dynamo import compiled_autograd


def sounds(batch, generator):
    spectra = torch.rand(batch, 9, generator=generator)
    return spectra, {"pitch": spectra.mean(1), "instrument": spectra[:, :4].argmax(1)}


def main(steps=8):
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(2)
    encoder = nn.Sequential(nn.Linear(9, 16), nn.Tanh(), nn.Linear(16, 5))
    optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-2)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _, task in zip(range(steps), turns(), strict=False):
            spectra, wanted = sounds(10, generator)
            loss = task.loss(encoder(spectra), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
