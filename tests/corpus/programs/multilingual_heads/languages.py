"""Feature frames of speech in five languages, one language to a batch."""

import random

import torch

LANGUAGES = ["cy", "eu", "fi", "ga", "mt"]


class LanguageSampler:
    """Picks a language for each batch, small ones more often than they occur."""

    def __init__(self, hours, temperature=2.0, seed=0):
        self.weights = [value ** (1 / temperature) for value in hours]
        self.random = random.Random(seed)

    def batches(self, count, size=8):
        for _ in range(count):
            language = self.random.choices(range(len(LANGUAGES)), self.weights)[0]
            frames = torch.randn(size, 10, 6) + 0.2 * language
            yield frames, language, torch.randint(0, 4, (size,))
