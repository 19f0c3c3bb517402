import random
from dataclasses import dataclass

import torch
from torch.nn.utils.rnn import pad_sequence


@dataclass
class PaddedBatch:
    ids: list[str]
    feats: torch.Tensor  # [B, T, F]
    lens: torch.Tensor  # relative, as fractions of T
    alignment: torch.Tensor  # [B, T]; padding is -1

    @classmethod
    def collate(cls, utts):
        feats = pad_sequence([utt["feats"] for utt in utts], batch_first=True)
        alignment = pad_sequence(
            [utt["alignment"] for utt in utts], batch_first=True, padding_value=-1
        )
        lens = torch.tensor([utt["duration"] for utt in utts]) / feats.size(1)
        return cls([utt["id"] for utt in utts], feats, lens, alignment)


def filtered_sorted(manifest, key_max_value=None, sort_key="duration"):
    utts = [u for u in manifest.values() if not key_max_value or u[sort_key] <= key_max_value]
    return sorted(utts, key=lambda utt: utt[sort_key])


class BucketLoader:
    """Utterances of similar duration go together; the order of the batches is random."""

    def __init__(self, utts, batch_size, shuffle, seed=0):
        self.utts, self.batch_size, self.shuffle = utts, batch_size, shuffle
        self.rng = random.Random(seed)

    def __len__(self):
        return len(self.utts) // self.batch_size

    def __iter__(self):
        starts = [index * self.batch_size for index in range(len(self))]
        if self.shuffle:
            self.rng.shuffle(starts)
        for start in starts:
            yield PaddedBatch.collate(self.utts[start : start + self.batch_size])
