"""Beam search over a decoder."""

import functools
from dataclasses import dataclass

import torch
from decoder import scored


@dataclass(frozen=True)
class BeamConfig:
    beams: int = 3
    longest: int = 7
    end: int = 1


class BeamSearch:
    def __init__(self, decoder, config):
        self.decoder = decoder
        self.config = config
        self.advance = torch.compile(decoder, backend="eager", fullgraph=True)
        self.score = torch.compile(scored, backend="eager", fullgraph=True)

    def scorers(self):
        """One scorer per place in the caption."""
        for place in range(self.config.longest):
            yield place, functools.partial(self.score, place=place)

    @torch.no_grad()
    def __call__(self, image):
        beams, vocabulary = self.config.beams, self.decoder.head.out_features
        hidden = image.expand(beams, -1).contiguous()
        word = torch.zeros(beams, dtype=torch.long)
        running = torch.tensor([0.0] + [-1e4] * (beams - 1))
        ended = torch.zeros(beams, dtype=torch.bool)
        captions = word[:, None]
        for place, score in self.scorers():
            logits, hidden = self.advance(self.decoder.embedded(word, place), hidden)
            running, flat = score(logits, running, ended).flatten().topk(beams)
            beam, word = flat // vocabulary, flat % vocabulary
            hidden, captions = hidden[beam], torch.cat([captions[beam], word[:, None]], 1)
            ended = ended[beam] | (word == self.config.end)
        return captions[0].tolist()
