"""Quotes and their sources, tokenised; some come with a note of who spoke."""

import torch
from torch.utils.data import Dataset

CLS, SEP = 1, 2


class QuoteDataset(Dataset):
    def __init__(self, count, length=12, vocab_size=50, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.examples = []
        for index in range(count):
            ids = torch.randint(3, vocab_size, (length,), generator=generator)
            ids[0], ids[length // 2] = CLS, SEP
            example = {"input_ids": ids, "labels": ids[1] % 2}
            if (index // 8) % 3 == 1:
                example["token_type_ids"] = (torch.arange(length) > length // 2).long()
            self.examples.append(example)

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, index):
        return self.examples[index]


class DataCollator:
    """Stacks what all examples of a batch have."""

    def __call__(self, features):
        names = [name for name in features[0] if all(name in one for one in features)]
        batch = {name: torch.stack([one[name] for one in features]) for name in names}
        batch["attention_mask"] = (batch["input_ids"] != 0).long()
        return batch
