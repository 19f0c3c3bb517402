import torch

BUCKETS = (16, 32, 48, 64)


def collate(seqs):
    longest = max(len(s) for s in seqs)
    length = next(b for b in BUCKETS if b >= longest)
    out = torch.zeros(len(seqs), length, dtype=torch.long)
    for i, s in enumerate(seqs):
        out[i, : len(s)] = s
    return out
