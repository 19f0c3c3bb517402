"""A small GPT whose last batch of an epoch is shorter than the others.

75 sequences in batches of 8 leave a last batch of 3, and gradients are accumulated over
two batches: two habits of ordinary training scripts, and both make the backward another
one from time to time. The model learns to continue arithmetic progressions modulo the
size of the vocabulary.

    ca run sample_scripts/gpt_ragged.py
    ca run sample_scripts/gpt_ragged.py --forward eager
    ca run sample_scripts/gpt_ragged.py --drop-last --accumulate 1

What to look for: 20 backwards and five captures. Step 0 is ``first``. Step 1 has a backward
of its own because ``.grad`` is None at the first batch of an accumulation window and defined
at its second. Step 9 is the short batch: the compiled forward recompiles, with sizes as
inputs, and brings another backward. Full batches then use that forward too, so steps 10 and
11 are captured again, without and with ``.grad``. Last, step 19, the short batch of the
second epoch, is a hit whose graph Dynamo compiles once more. With an eager forward step 9 is
a change of shapes, and three captures are all. With ``--drop-last --accumulate 1`` one
capture is left.
"""

import argparse

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

VOCABULARY = 64
CONTEXT = 32
WIDTH = 64
HEADS = 4


class Block(nn.Module):
    """Causal self-attention and a feed-forward layer, both with a residual connection."""

    def __init__(self):
        super().__init__()
        self.attention_norm = nn.LayerNorm(WIDTH, bias=False)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.project = nn.Linear(WIDTH, WIDTH, bias=False)
        self.feed_forward = nn.Sequential(
            nn.LayerNorm(WIDTH, bias=False),
            nn.Linear(WIDTH, 4 * WIDTH, bias=False),
            nn.GELU(),
            nn.Linear(4 * WIDTH, WIDTH, bias=False),
        )

    def forward(self, x):
        batch = x.shape[0]
        heads = self.qkv(self.attention_norm(x)).view(batch, CONTEXT, 3, HEADS, WIDTH // HEADS)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.project(mixed.transpose(1, 2).reshape(batch, CONTEXT, WIDTH))
        return x + self.feed_forward(x)


class GPT(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Parameter(0.02 * torch.randn(CONTEXT, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(layers))
        self.norm = nn.LayerNorm(WIDTH, bias=False)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def progressions(count):
    """``count`` sequences of CONTEXT + 1 tokens: start + k * stride, modulo the vocabulary."""
    start = torch.randint(VOCABULARY, (count, 1))
    stride = torch.randint(1, 8, (count, 1))
    return (start + stride * torch.arange(CONTEXT + 1)) % VOCABULARY


def main() -> None:
    parser = argparse.ArgumentParser(description="train a small GPT with a ragged last batch")
    parser.add_argument(
        "--backend", default="aot_eager", choices=["eager", "aot_eager", "inductor"]
    )
    parser.add_argument("--forward", default="compiled", choices=["compiled", "eager"])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--accumulate", type=int, default=2, help="batches per optimizer step")
    parser.add_argument("--drop-last", action="store_true", help="leave the short batch out")
    arguments = parser.parse_args()

    torch.manual_seed(0)
    model = GPT(arguments.layers)
    forward = model
    if arguments.forward == "compiled":
        forward = torch.compile(model, backend=arguments.backend)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    batches = DataLoader(
        TensorDataset(progressions(75)), batch_size=8, shuffle=True, drop_last=arguments.drop_last
    )
    # dynamic=False is what the config flag uses: sizes are static until they are seen to change.
    compiled_autograd = torch._dynamo.compiled_autograd._enable
    backward_compiler = torch.compile(backend=arguments.backend)

    step = 0
    for epoch in range(arguments.epochs):
        for (tokens,) in batches:
            logits = forward(tokens[:, :-1])
            loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            with compiled_autograd(backward_compiler, dynamic=False):
                (loss / arguments.accumulate).backward()
            if (step + 1) % arguments.accumulate == 0:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
            print(f"epoch {epoch} step {step}: batch of {len(tokens)}, loss {loss.item():.5f}")
            step += 1
    total = sum(parameter.detach().abs().sum().item() for parameter in model.parameters())
    print(f"sum of |parameter|: {total:.3f}")


if __name__ == "__main__":
    main()
