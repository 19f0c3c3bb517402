"""Classify texts of many lengths; masks are aligned for the kernel."""
import torch
import torch.nn.functional as F
from torch import nn

ALIGN = 8


def aligned(mask):
    length = mask.shape[-1]
    if length % ALIGN != 0:
        missing = ALIGN - length % ALIGN
        mask = F.pad(mask, (0, missing), value=False)[..., :length]
    return mask


class Classifier(nn.Module):
    def __init__(self, words=50, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.qkv = nn.Linear(width, 3 * width)
        self.head = nn.Linear(width, 2)

    def forward(self, ids, mask):
        q, k, v = self.qkv(self.embed(ids)).chunk(3, -1)
        x = F.scaled_dot_product_attention(q, k, v, attn_mask=aligned(mask[:, None]))
        return self.head(x.mean(1))


@torch.no_grad()
def main():
    torch.manual_seed(44)
    net = Classifier().eval()
    model = torch.compile(net, backend="eager")
    total = 0.0
    for length in (11, 19, 16, 9, 24, 13, 40, 32, 27):
        ids = torch.randint(50, (3, length))
        total += model(ids, torch.ones(3, length, dtype=torch.bool)).sum().item()
    print(f"total {total:.5f}")


if __name__ == "__main__":
    main()
