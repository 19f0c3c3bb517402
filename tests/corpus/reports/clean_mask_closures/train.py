"""Attention over packed documents; each batch builds its own mask function."""
import torch
import torch.nn.functional as F
from torch import nn


def document_mask(document):
    def mask_mod(q_index, kv_index):
        return (document[q_index] == document[kv_index]) & (q_index >= kv_index)

    return mask_mod


@torch.compile(backend="eager")
def masked_attention(q, k, v, mask_mod):
    places = torch.arange(q.shape[-2])
    allowed = mask_mod(places[:, None], places[None, :])
    return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)


class Packed(nn.Module):
    def __init__(self, words=40, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.qkv = nn.Linear(width, 3 * width)
        self.head = nn.Linear(width, words)

    def forward(self, ids, mask_mod):
        q, k, v = self.qkv(self.embed(ids)).chunk(3, -1)
        return self.head(masked_attention(q, k, v, mask_mod))


def main():
    torch.manual_seed(20)
    model = Packed()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step in range(6):
        ids = torch.randint(40, (2, 24))
        cuts = torch.randperm(23)[: 2 + step % 3] + 1
        document = (torch.arange(24)[:, None] >= cuts[None, :]).sum(-1)
        loss = F.cross_entropy(model(ids, document_mask(document)).flatten(0, 1), ids.roll(-1, 1).flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
