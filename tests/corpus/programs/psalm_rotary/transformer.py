import torch.nn.functional as F
from rotary import RotaryEmbedding
from torch import nn

# helpers


def exists(v):
    return v is not None


class Attention(nn.Module):
    def __init__(self, dim, *, dim_head=8, heads=2, rotary_embed=None):
        super().__init__()
        inner = dim_head * heads
        self.heads, self.rotary_embed = heads, rotary_embed
        self.norm = nn.RMSNorm(dim)
        self.to_qkv = nn.Linear(dim, inner * 3, bias=False)
        self.to_out = nn.Linear(inner, dim, bias=False)

    def forward(self, x, value_residual=None):
        b, n, _ = x.shape
        qkv = self.to_qkv(self.norm(x)).reshape(b, n, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        if exists(value_residual):
            v = 0.5 * (v + value_residual)
        if exists(self.rotary_embed):
            q, k = self.rotary_embed.rotate_queries_and_keys(q, k)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1)), v


class FeedForward(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.net = nn.Sequential(
            nn.RMSNorm(dim), nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim)
        )

    def forward(self, x):
        return self.net(x)


class PsalmTransformer(nn.Module):
    def __init__(self, *, num_tokens, dim, depth, ignore_index=-1):
        super().__init__()
        self.token_emb = nn.Embedding(num_tokens, dim)
        self.ignore_index = ignore_index
        rotary = RotaryEmbedding(8)
        self.layers = nn.ModuleList(
            nn.ModuleList([Attention(dim, rotary_embed=rotary), FeedForward(dim)])
            for _ in range(depth)
        )
        self.norm = nn.RMSNorm(dim)
        self.to_logits = nn.Linear(dim, num_tokens, bias=False)

    def forward(self, seq, return_loss=False):
        if return_loss:
            seq, labels = seq[:, :-1], seq[:, 1:]
        x, first_values = self.token_emb(seq), None
        for attn, ff in self.layers:
            out, values = attn(x, value_residual=first_values)
            if not exists(first_values):
                first_values = values
            x = x + out
            x = ff(x) + x
        logits = self.to_logits(self.norm(x))
        if not return_loss:
            return logits
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.ignore_index)
