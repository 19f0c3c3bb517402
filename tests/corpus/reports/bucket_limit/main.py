"""Decode server with batch buckets: every bucket is compiled at start-up, requests are padded into one."""
import torch
from torch import nn
import torch.nn.functional as F

BUCKETS = [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24]


class DecodeStep(nn.Module):
    def __init__(self, vocab=64, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.up, self.down = nn.Linear(dim, 3 * dim), nn.Linear(3 * dim, dim)
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, tokens, state):
        x = self.embed(tokens) + state
        x = x + self.down(F.silu(self.up(x)))
        return self.head(x), F.layer_norm(x, x.shape[-1:])


class Server:
    def __init__(self, model):
        self.step = torch.compile(model, backend="aot_eager", dynamic=False)
        for bucket in BUCKETS:
            self.step(torch.zeros(bucket, dtype=torch.long), torch.zeros(bucket, 32))

    def decode(self, tokens, state):
        count = len(tokens)
        bucket = next(b for b in BUCKETS if b >= count)
        tokens = F.pad(tokens, (0, bucket - count))
        state = F.pad(state, (0, 0, 0, bucket - count))
        logits, state = self.step(tokens, state)
        return logits[:count].argmax(dim=-1), state[:count]


@torch.no_grad()
def main():
    torch.manual_seed(51)
    server = Server(DecodeStep().eval())
    for count in (3, 17, 22, 5, 11):
        tokens = torch.arange(count) % 64
        state = torch.zeros(count, 32)
        for _ in range(4):
            tokens, state = server.decode(tokens, state)
        print(f"{count} running: {tokens.tolist()[:8]} {state.abs().mean():.5f}")


if __name__ == "__main__":
    main()
