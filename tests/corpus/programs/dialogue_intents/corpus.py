"""Utterances to a travel assistant, as token ids, padded to one length."""

import random

import torch

INTENTS = {
    "book": "book a table flight seat for two please",
    "cancel": "cancel drop my booking order now thanks",
    "weather": "will it rain snow shine in the town",
    "music": "play some jazz songs loud in kitchen",
}
VOCABULARY = {
    word: i + 1
    for i, word in enumerate(sorted({w for text in INTENTS.values() for w in text.split()}))
}
MAX_LENGTH = 8


def encode(words):
    ids = [VOCABULARY[word] for word in words][:MAX_LENGTH]
    return ids + [0] * (MAX_LENGTH - len(ids))


def utterances(count, seed):
    rng = random.Random(seed)
    rows, labels = [], []
    for _ in range(count):
        label = rng.randrange(len(INTENTS))
        words = list(INTENTS.values())[label].split()
        rows.append(encode(rng.sample(words, rng.randint(3, len(words)))))
        labels.append(label)
    return torch.tensor(rows), torch.tensor(labels)


def batches(count, size, seed):
    ids, labels = utterances(count, seed)
    return list(zip(ids.split(size), labels.split(size), strict=True))
