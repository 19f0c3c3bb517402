import torch

NUM_AMINOS = 20
PAD = NUM_AMINOS


def chain(length, generator):
    seq = torch.randint(0, NUM_AMINOS, (length,), generator=generator)
    steps = torch.randn(length, 3, generator=generator) + 0.1 * seq[:, None]
    return seq, (steps / steps.norm(dim=-1, keepdim=True)).cumsum(0)


def padded(seq, xyz, max_len):
    seqs = torch.full((max_len,), PAD)
    coords = torch.zeros(max_len, 3)
    seqs[: len(seq)], coords[: len(xyz)] = seq[:max_len], xyz[:max_len]
    return seqs, coords, seqs != PAD


def chains(max_len=12, seed=7):
    g = torch.Generator().manual_seed(seed)
    while True:
        length = int(torch.randint(6, max_len + 1, (1,), generator=g))
        yield padded(*chain(length, g), max_len)
