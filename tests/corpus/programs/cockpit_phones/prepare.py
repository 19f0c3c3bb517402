"""Synthetic cockpit recordings with phone alignments, in the layout of a JSON manifest."""

import math

import torch

PHONES = ["sil", "ah", "iy", "s", "t", "n", "er", "k"]
FRAMES_PER_PHONE = (3, 9)
N_MELS = 20


def _phone_means():
    generator = torch.Generator().manual_seed(99)
    return 1.5 * torch.randn(len(PHONES), N_MELS, generator=generator)


def _utterance(utt_id, generator, means):
    n_phones = int(torch.randint(5, 14, (1,), generator=generator))
    phones = torch.randint(1, len(PHONES), (n_phones,), generator=generator)
    phones = torch.cat([torch.zeros(1, dtype=torch.long), phones, torch.zeros(1, dtype=torch.long)])
    spans = torch.randint(*FRAMES_PER_PHONE, (len(phones),), generator=generator)
    alignment = phones.repeat_interleave(spans)
    engine = torch.sin(torch.arange(len(alignment)) / math.pi)[:, None]
    noise = torch.randn(len(alignment), N_MELS, generator=generator)
    feats = means[alignment] + 0.4 * engine + 0.7 * noise
    return {"id": utt_id, "feats": feats, "alignment": alignment, "duration": len(alignment)}


def prepare_cockpit(n_train, n_valid, seed):
    """Return the manifests of both splits, keyed by the id of the utterance."""
    generator = torch.Generator().manual_seed(seed)
    means = _phone_means()
    splits = {}
    for split, count in (("train", n_train), ("valid", n_valid)):
        utts = [_utterance(f"{split}-{i:03d}", generator, means) for i in range(count)]
        splits[split] = {utt["id"]: utt for utt in utts}
    return splits
