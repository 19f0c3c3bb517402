# trains a GPT on the names of fjords; settings are globals that may be overridden
import math
from contextlib import nullcontext

import torch
from model import GPT, GPTConfig
from text import Corpus

eval_interval = 8
eval_iters = 3
log_interval = 4
batch_size = 6
block_size = 16
gradient_accumulation_steps = 2
learning_rate = 2e-3
min_lr = 2e-4
warmup_iters = 4
max_iters = 20
grad_clip = 1.0
dtype = "float32"
backend = "eager"

torch.manual_seed(1337)
corpus = Corpus()
ctx = nullcontext() if dtype == "float32" else torch.amp.autocast("cpu", dtype=torch.bfloat16)
raw_model = GPT(GPTConfig(block_size=block_size, vocab_size=len(corpus.characters)))
optimizer = torch.optim.AdamW(raw_model.parameters(), lr=learning_rate, betas=(0.9, 0.95))
model = torch.compile(raw_model, backend=backend)


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in ("train", "val"):
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            X, Y = corpus.batch(split, batch_size, block_size)
            with ctx:
                _, loss = model(X, Y)
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    ratio = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


best_val_loss = 1e9
for iter_num in range(max_iters + 1):
    for group in optimizer.param_groups:
        group["lr"] = get_lr(iter_num)
    if iter_num % eval_interval == 0:
        losses = estimate_loss()
        print(f"step {iter_num}: train {losses['train']:.4f}, val {losses['val']:.4f}")
        best_val_loss = min(best_val_loss, losses["val"].item())
    for _ in range(gradient_accumulation_steps):
        X, Y = corpus.batch("train", batch_size, block_size)
        with ctx:
            logits, loss = model(X, Y)
            loss = loss / gradient_accumulation_steps
        loss.backward()
    torch.nn.utils.clip_grad_norm_(raw_model.parameters(), grad_clip)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if iter_num % log_interval == 0:
        print(f"iter {iter_num}: loss {loss.item() * gradient_accumulation_steps:.4f}")

raw_model.eval()
start = torch.zeros(1, 1, dtype=torch.long)
print(corpus.decode(raw_model.generate(start, 30, temperature=0.8)[0].tolist()))
