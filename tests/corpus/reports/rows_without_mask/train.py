"""Decoder whose queries look at what the last layer's masks allow."""
import torch
import torch.nn.functional as F
from torch import nn


class MaskDecoder(nn.Module):
    def __init__(self, queries=6, width=12, depth=2):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(queries, width) / 4)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, hits):
        q = self.queries.expand(hits.shape[0], -1, -1)
        for layer in self.layers:
            allowed = torch.einsum("bqc,bhc->bqh", q, hits) > 1.5
            allowed[torch.where(allowed.sum(-1) == 0)] = True
            q = q + layer(F.scaled_dot_product_attention(q, hits, hits, attn_mask=allowed))
        return torch.einsum("bqc,bhc->bqh", q, hits)


def main():
    torch.manual_seed(5)
    net = MaskDecoder()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for _ in range(8):
        hits = torch.randn(2, 10, 12)
        target = (hits[..., 0] > 0).float()[:, None].expand(-1, 6, -1)
        loss = F.binary_cross_entropy_with_logits(model(hits), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
