import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, position, keys, values, valid):
        q, k, v = self.qkv(self.embed(ids)).chunk(3, -1)
        keys.index_copy_(1, position, k)
        values.index_copy_(1, position, v)
        slots = torch.arange(keys.shape[1])
        mask = (slots[None] <= position[:, None]) & valid[None]
        return self.head(F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)[:, -1])


class Talker:
    def __init__(self, vocab, dim, prompt_len, max_len):
        self.net, self.dim, self.vocab = Net(vocab, dim).eval(), dim, vocab
        self.prompt_len, self.max_len = prompt_len, max_len

    @torch.no_grad()
    def speak(self, prompt, new):
        words = [1 + sum(map(ord, w)) % (self.vocab - 1) for w in prompt.split()]
        pad = self.prompt_len - len(words)
        ids = torch.tensor([[0] * pad + words])
        valid = torch.arange(self.max_len) >= pad
        keys, values = (torch.zeros(1, self.max_len, self.dim) for _ in range(2))
        logits = self.net(ids, torch.arange(self.prompt_len), keys, values, valid)
        codes = []
        for i in range(new):
            code = logits.argmax(-1, keepdim=True)
            codes.append(code.item())
            logits = self.net(code, torch.tensor([self.prompt_len + i]), keys, values, valid)
        return codes
