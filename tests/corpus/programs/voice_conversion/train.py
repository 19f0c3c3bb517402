"""Trains content features for voice conversion."""

import torch
from reversal import Speaker, ramp
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional
from voices import Voices


class Converter(nn.Module):
    def __init__(self, speakers=3, bands=14, width=10):
        super().__init__()
        self.content = nn.Sequential(nn.Linear(bands, width), nn.Mish(), nn.Linear(width, width))
        self.speaker = Speaker(width, speakers)
        self.voice = nn.Embedding(speakers, width)
        self.decode = nn.Linear(2 * width, bands)

    def forward(self, spectrum, who):
        content = self.content(spectrum)
        again = self.decode(torch.cat([content, self.voice(who)], dim=-1))
        return again, self.speaker(content)


def main(epochs=4):
    torch.manual_seed(0)
    model, voices = Converter(), Voices(3, 14)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            model.speaker.strength = ramp(epoch / epochs)
            for spectrum, who in voices:
                again, guess = model(spectrum, who)
                loss = functional.mse_loss(again, spectrum)
                loss = loss + 0.5 * functional.cross_entropy(guess, who)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
