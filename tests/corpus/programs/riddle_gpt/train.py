"""
Trains the character-level riddle model on a single CPU.
"""

import math

import numpy as np
import torch
from model import GPT, GPTConfig
from prepare import splits
from torch._dynamo import compiled_autograd

# -----------------------------------------------------------------------------
# I/O
eval_interval = 6
log_interval = 4
eval_iters = 2
# data
gradient_accumulation_steps = 3
batch_size = 4
block_size = 24
ramp_iters = 6  # the context grows to the full block size over the first iterations
# model
n_layer = 2
n_head = 2
n_embd = 16
dropout = 0.0
# adamw optimizer
learning_rate = 3e-3
max_iters = 12
weight_decay = 1e-1
beta1, beta2 = 0.9, 0.95
grad_clip = 1.0
warmup_iters = 3
min_lr = 3e-4
backend = "aot_eager"
# -----------------------------------------------------------------------------
config = {k: v for k, v in globals().items() if isinstance(v, (int, float, str)) and k[0] != "_"}

torch.manual_seed(1337)
np.random.seed(1337)
data, vocab_size = splits()


def get_batch(split, length):
    ids = data[split]
    ix = torch.randint(len(ids) - length, (batch_size,))
    x = torch.stack([torch.from_numpy(ids[i : i + length].astype(np.int64)) for i in ix])
    y = torch.stack([torch.from_numpy(ids[i + 1 : i + 1 + length].astype(np.int64)) for i in ix])
    return x, y


def context(it):
    if it >= ramp_iters:
        return block_size
    return block_size // 2 + (block_size // 2) * it // ramp_iters


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    ratio = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


gptconf = GPTConfig(
    block_size=block_size,
    vocab_size=vocab_size,
    n_layer=n_layer,
    n_head=n_head,
    n_embd=n_embd,
    dropout=dropout,
)
model = GPT(gptconf)
optimizer = model.configure_optimizers(weight_decay, learning_rate, (beta1, beta2))
raw_model, model = model, torch.compile(model, backend=backend)


@torch.no_grad()
def estimate_loss():
    model.eval()
    out = {}
    for split in ("train", "val"):
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            _, loss = model(*get_batch(split, block_size))
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


X, Y = get_batch("train", context(0))
with compiled_autograd._enable(torch.compile(backend=backend)):
    for iter_num in range(max_iters):
        lr = get_lr(iter_num)
        for param_group in optimizer.param_groups:
            param_group["lr"] = lr
        if iter_num and iter_num % eval_interval == 0:
            losses = estimate_loss()
            print(f"step {iter_num}: train {losses['train']:.4f}, val {losses['val']:.4f}")
        for _micro_step in range(gradient_accumulation_steps):
            logits, loss = model(X, Y)
            loss = loss / gradient_accumulation_steps
            X, Y = get_batch("train", context(iter_num + 1))
            loss.backward()
        if grad_clip != 0.0:
            torch.nn.utils.clip_grad_norm_(raw_model.parameters(), grad_clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if iter_num % log_interval == 0:
            print(f"iter {iter_num}: loss {loss.item() * gradient_accumulation_steps:.4f}")
