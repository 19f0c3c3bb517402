"""Filterbank-like frames of a handful of speakers."""

import random

import torch


class SpeakerSampler:
    """Each batch has the same number of utterances of each of the chosen speakers."""

    def __init__(self, n_speakers, per_batch, utterances, seed):
        self.n_speakers, self.per_batch, self.utterances = n_speakers, per_batch, utterances
        self.rng = random.Random(seed)

    def __iter__(self):
        while True:
            chosen = self.rng.sample(range(self.n_speakers), self.per_batch)
            yield torch.tensor(chosen).repeat_interleave(self.utterances)


class Frames:
    def __init__(self, n_speakers, n_mels, n_frames, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.voices = torch.randn(n_speakers, n_mels, generator=self.generator)
        self.n_frames = n_frames

    def __call__(self, speakers):
        shape = (len(speakers), self.n_frames, self.voices.size(1))
        noise = torch.randn(shape, generator=self.generator)
        return self.voices[speakers].unsqueeze(1) + 1.5 * noise


def cmvn(frames):
    return (frames - frames.mean(1, keepdim=True).mean(0)) / (frames.std((0, 1)) + 1e-5)
