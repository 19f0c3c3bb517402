"""Toy model runner: warm-up pass at start-up, then decode steps."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class LlamaLikeLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.Parameter(torch.ones(dim))
        self.gate = nn.Linear(dim, 2 * dim, bias=False)
        self.up = nn.Linear(dim, 2 * dim, bias=False)
        self.down = nn.Linear(2 * dim, dim, bias=False)

    def forward(self, x):
        h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.norm
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Model(nn.Module):
    def __init__(self, vocab=80, dim=24, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(LlamaLikeLayer(dim) for _ in range(layers))
        self.lm_head = nn.Linear(dim, vocab, bias=False)

    def forward(self, hidden):
        for layer in self.layers:
            hidden = layer(hidden)
        return self.lm_head(hidden)


class ModelRunner:
    def __init__(self, batch_buckets):
        torch.manual_seed(0)
        self.model = Model().eval()
        self.forward = torch.compile(self.model, backend="eager", dynamic=False)
        self.buckets = batch_buckets

    @torch.inference_mode()
    def warmup(self):
        for bucket in self.buckets:
            tokens = torch.zeros(bucket, dtype=torch.long)
            self.forward(self.model.embed(tokens))

    def pad(self, tokens):
        for bucket in self.buckets:
            if len(tokens) <= bucket:
                return F.pad(tokens, (0, bucket - len(tokens)))
        raise ValueError("batch too large")

    @torch.no_grad()
    def execute(self, tokens):
        n = len(tokens)
        hidden = self.model.embed(self.pad(tokens))
        logits = self.forward(hidden)[:n]
        return logits.argmax(-1)


def main():
    runner = ModelRunner(batch_buckets=[2, 4, 8])
    runner.warmup()
    g = torch.Generator().manual_seed(0)
    trace = []
    for size in [1, 2, 3, 7, 5, 4, 2, 8]:
        tokens = torch.randint(0, 80, (size,), generator=g)
        for _ in range(2):
            tokens = runner.execute(tokens)
        trace.append(tokens.sum().item())
    print("trace", trace)


if __name__ == "__main__":
    main()
