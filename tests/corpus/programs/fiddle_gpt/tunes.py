"""Reels and jigs in a small alphabet of notes; each tune is a motif that is varied."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def write_tunes(count, length, vocab_size, seed):
    g = torch.Generator().manual_seed(seed)
    motif = torch.randint(vocab_size, (count, 4), generator=g)
    rise = torch.randint(0, 3, (count, 1), generator=g)
    bars = [(motif + rise * bar) % vocab_size for bar in range(length // 4 + 1)]
    tunes = torch.cat(bars, dim=1)[:, : length + 1]
    ornaments = torch.rand(tunes.shape, generator=g) < 0.05
    return torch.where(ornaments, (tunes + 1) % vocab_size, tunes)


def get_loaders(config, model_config):
    length, vocab = model_config.block_size, model_config.vocab_size
    train = write_tunes(config.tunes, length, vocab, config.seed)
    val = write_tunes(config.batch_size, length, vocab, config.seed + 1)
    order = torch.Generator().manual_seed(config.seed)
    return (
        DataLoader(TensorDataset(train), config.batch_size, shuffle=True, generator=order),
        DataLoader(TensorDataset(val), config.batch_size),
    )
