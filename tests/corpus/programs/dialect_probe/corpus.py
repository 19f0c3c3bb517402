import torch


class UtteranceCorpus:
    """MFCC frames of five dialects; `crop` is the number of frames that a batch shows."""

    def __init__(self, n=48, frames=64, n_mfcc=12, seed=3):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 5, (n,), generator=g)
        tone = torch.sin(torch.arange(frames) * (self.y[:, None] + 1) / 5)
        self.x = tone[..., None] + 0.5 * torch.randn(n, frames, n_mfcc, generator=g)

    def batches(self, batch_size, crop, generator):
        order = torch.randperm(len(self.y), generator=generator)
        for i in range(0, len(order) - batch_size + 1, batch_size):
            idx = order[i : i + batch_size]
            yield {"feats": self.x[idx, :crop], "dialect": self.y[idx]}
