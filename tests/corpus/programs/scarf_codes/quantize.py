import torch
import torch.nn.functional as F
from torch import nn


def ema_inplace(moving_avg, new, decay):
    moving_avg.lerp_(new, 1 - decay)


def laplace_smoothing(x, n_categories, eps=1e-5):
    return (x + eps) / (x.sum() + n_categories * eps)


class VectorQuantize(nn.Module):
    """codebook that follows its assignments, with noisy assignments early in training"""

    def __init__(self, dim, codebook_size, decay=0.9, commitment=0.25):
        super().__init__()
        self.decay, self.commitment = decay, commitment
        self.codebook_size = codebook_size
        embed = torch.randn(codebook_size, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("embed_avg", embed.clone())
        self.register_buffer("cluster_size", torch.ones(codebook_size))
        self.register_buffer("temperature", torch.tensor(1.0))

    def forward(self, x, mask=None):
        flat = x.flatten(0, 1)
        dist = torch.cdist(flat, self.embed)
        if self.training:
            gumbel = -torch.empty_like(dist).exponential_().log()
            dist = dist - self.temperature * gumbel
        ind = dist.argmin(-1)
        onehot = F.one_hot(ind, self.codebook_size).to(x.dtype)
        quantized = F.embedding(ind, self.embed).view_as(x)

        if self.training:
            with torch.no_grad():
                ema_inplace(self.cluster_size, onehot.sum(0), self.decay)
                ema_inplace(self.embed_avg, onehot.t() @ flat, self.decay)
                smoothed = laplace_smoothing(self.cluster_size, self.codebook_size)
                n = self.cluster_size.sum()
                self.embed.copy_(self.embed_avg / (smoothed * n).unsqueeze(-1))

        commit = F.mse_loss(quantized.detach(), x, reduction="none").mean(-1)
        if mask is not None:
            commit = commit * mask
        quantized = x + (quantized - x).detach()
        return quantized, ind.view(x.shape[:-1]), self.commitment * commit.mean()
