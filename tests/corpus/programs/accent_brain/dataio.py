"""Utterances, and the padded batches of them."""

from collections import namedtuple

import torch

PaddedBatch = namedtuple("PaddedBatch", ["feats", "lens", "accent", "phones"])


def utterance(length, hparams, g):
    accent = torch.randint(0, hparams.accents, (1,), generator=g)
    phones = torch.randint(0, hparams.phones, (length,), generator=g)
    feats = torch.randn(length, hparams.n_mels, generator=g)
    feats[:, 0] += accent - 1.5
    feats[:, 1] += 0.2 * phones
    return feats, accent, phones


def pad(tensors, value=0):
    return torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=value)


def collate(utterances):
    feats, accents, phones = zip(*utterances, strict=True)
    lengths = torch.tensor([len(f) for f in feats])
    return PaddedBatch(
        pad(feats), lengths / lengths.max(), torch.cat(accents), pad(phones, value=-100)
    )


def dataio_prep(hparams, count=24):
    g = torch.Generator().manual_seed(hparams.seed)
    lengths = torch.randint(8, 25, (count,), generator=g).tolist()
    if hparams.sorting == "ascending":
        lengths.sort()
    data = [utterance(n, hparams, g) for n in lengths]
    size = hparams.batch_size
    return [collate(data[i : i + size]) for i in range(0, count, size)]
