"""Read a long text chunk by chunk with a sliding cache."""
import torch
import torch.nn as nn

from cache import SlidingCache


class Reader(nn.Module):
    def __init__(self, words=30, width=8):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.key = nn.Linear(width, width)

    def forward(self, ids, cache):
        h = self.embed(ids)
        keys = cache.update(self.key(h))
        return (h @ keys.transpose(1, 2)).softmax(-1) @ keys


@torch.no_grad()
def main():
    torch.manual_seed(42)
    model = torch.compile(Reader().eval(), backend="eager")
    cache = SlidingCache(window=24)
    text = torch.randint(30, (2, 72))
    total = 0.0
    for chunk in text.split(8, 1):
        total += model(chunk, cache).norm().item()
    print(f"FINAL {total:.4f}")


if __name__ == "__main__":
    main()
