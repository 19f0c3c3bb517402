import random

import torch

TEMPLATES = [(3, 6), (4, 0), (5, 7), (6, 0)]


class Tokenizer:
    """Ids out of nothing; the second sentence, where there is one, has segment 1."""

    cls_token_id, sep_token_id = 1, 2

    def __init__(self, seed, vocab_size=50):
        self.rng, self.vocab_size = random.Random(seed), vocab_size

    def words(self, count):
        return [self.rng.randrange(3, self.vocab_size) for _ in range(count)]

    def __call__(self, first, second=0, max_length=16):
        ids = [self.cls_token_id, *self.words(first), self.sep_token_id]
        types = [0] * len(ids)
        if second:
            ids += [*self.words(second), self.sep_token_id]
            types += [1] * (second + 1)
        encoded = {
            "input_ids": ids + [0] * (max_length - len(ids)),
            "attention_mask": [1] * len(ids) + [0] * (max_length - len(ids)),
        }
        if second:
            encoded["token_type_ids"] = types + [0] * (max_length - len(types))
        return encoded


def get_datasets(seed, size):
    """Claims with and without an answer, in chunks of four of a kind."""
    tokenizer = Tokenizer(seed)
    examples = []
    for index in range(size):
        first, second = TEMPLATES[index // 4 % len(TEMPLATES)]
        example = tokenizer(first, second)
        example["labels"] = (example["input_ids"][1] + second) % 3
        examples.append(example)
    return examples[: size * 3 // 4], examples[size * 3 // 4 :]


def default_data_collator(features):
    return {key: torch.tensor([f[key] for f in features]) for key in features[0]}
