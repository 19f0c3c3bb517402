import random

import torch
from torch.nn.utils.rnn import pad_sequence
from vocab import PAD, SOURCE, TARGET, WORDS, encode

MAX_LEN = 14


class RecipeCorpus:
    """Steps of recipes, and what they are in the other kitchen (verb last)."""

    def __init__(self, n_pairs, seed):
        rng = random.Random(seed)
        self.pairs = []
        for _ in range(n_pairs):
            step = rng.choices(WORDS, k=rng.randint(5, MAX_LEN - 2))
            turned = [word[::-1] for word in [*step[1:], step[0]]]
            self.pairs.append((encode(step, SOURCE), encode(turned, TARGET)))

    def batches(self, batch_size, seed):
        """Of sentences that are alike in length, as in fairseq, the batches shuffled."""
        ordered = sorted(self.pairs, key=lambda pair: len(pair[0]))
        chunks = [ordered[i : i + batch_size] for i in range(0, len(ordered), batch_size)]
        random.Random(seed).shuffle(chunks)
        for chunk in chunks:
            yield collate(chunk)


def collate(pairs):
    source = pad_sequence([torch.tensor(s) for s, _ in pairs], True, PAD)
    target = pad_sequence([torch.tensor(t) for _, t in pairs], True, PAD)
    return {"source": source, "target": target}
