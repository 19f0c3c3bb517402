import torch
import torch.nn as nn
from registry import register_model


@register_model("conv_s2s_tiny")
class ConvS2S(nn.Module):
    """Encoder of words, a decoder that attends to them; convolutions are left as an exercise."""

    def __init__(self, cfg, vocab):
        super().__init__()
        dim = cfg["model"]["embed_dim"]
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.encoder = nn.Linear(dim, dim)
        self.query = nn.Linear(dim, dim)
        self.out = nn.Linear(2 * dim, vocab)

    @classmethod
    def build_model(cls, cfg, task):
        return cls(cfg, task.vocab)

    def forward(self, src_tokens, prev_output_tokens):
        memory = torch.tanh(self.encoder(self.embed(src_tokens)))
        target = self.embed(prev_output_tokens)
        scores = self.query(target) @ memory.transpose(1, 2)
        scores = scores.masked_fill(src_tokens.eq(0)[:, None], -1e4)
        context = scores.softmax(-1).to(memory.dtype) @ memory
        return self.out(torch.cat([target.to(context.dtype), context], dim=-1))
