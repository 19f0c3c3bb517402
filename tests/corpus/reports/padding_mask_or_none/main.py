"""Text conditioning for an edit model: prompts of one length need no mask, others do."""
import torch
from torch import nn
import torch.nn.functional as F


class TextEncoder(nn.Module):
    def __init__(self, vocab=60, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.q, self.kv, self.out = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim), nn.Linear(dim, dim)

    def attend(self, x, mask):
        k, v = self.kv(x).chunk(2, dim=-1)
        if mask is not None:
            mask = mask[:, None, :]
        return self.out(F.scaled_dot_product_attention(self.q(x), k, v, attn_mask=mask))

    def forward(self, tokens, mask, strength):
        x = self.embed(tokens) * strength
        if mask.all():
            mask = None
        x = x + self.attend(x, mask)
        return F.layer_norm(x, x.shape[-1:])


def batch(lengths, generator, longest=12):
    tokens = torch.randint(60, (len(lengths), longest), generator=generator)
    mask = torch.arange(longest)[None] < torch.tensor(lengths)[:, None]
    return tokens, mask


@torch.no_grad()
def main():
    torch.manual_seed(47)
    generator = torch.Generator().manual_seed(47)
    model = TextEncoder().eval()
    encode = torch.compile(model, backend="aot_eager")
    requests = [([12, 12, 12], 1.5), ([5, 12, 7], 0.8), ([12, 12, 12], 1.2), ([9, 3, 4], 0.9), ([12, 6, 12], 1.1)]
    for lengths, strength in requests:
        tokens, mask = batch(lengths, generator)
        x = encode(tokens, mask, strength)
        pooled = (x * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        print(f"{lengths}: {pooled.abs().mean():.5f}")


if __name__ == "__main__":
    main()
