import torch


def enwik_like(num_tokens, length, batch, seed=0):
    """One long stream for each row of the batch, with a motif that comes again."""
    g = torch.Generator().manual_seed(seed)
    motif = torch.randint(0, num_tokens, (batch, 23), generator=g)
    stream = motif.repeat(1, length // 23 + 1)[:, :length]
    noise = torch.randint(0, num_tokens, stream.shape, generator=g)
    return torch.where(torch.rand(stream.shape, generator=g) < 0.1, noise, stream)


def cycle_segments(stream, seq_len):
    """Segments in order; each is longer by one than `seq_len`, for the targets."""
    for start in range(0, stream.shape[1] - seq_len, seq_len):
        yield stream[:, start : start + seq_len + 1]
