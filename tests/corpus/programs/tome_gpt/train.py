"""
Trains a small GPT on the letters of a tome.
"""

import math

import torch
from model import GPT, GPTConfig
from sample import generate

# I/O
eval_interval = 4
log_interval = 3
eval_iters = 2
sample_tokens = 6
# data
gradient_accumulation_steps = 2
batch_size = 6
block_size = 32
# adamw optimizer
learning_rate = 3e-3
max_iters = 12
weight_decay = 1e-1
beta1, beta2 = 0.9, 0.95
grad_clip = 1.0
# learning rate decay settings
warmup_iters = 3
lr_decay_iters = 12
min_lr = 3e-4
# system
compile = True
seed_offset = 7
config = {k: v for k, v in globals().items() if isinstance(v, (int, float, bool, str))}

torch.manual_seed(1337 + seed_offset)
TEXT = (
    "of arms and the parchment I sing, whose margins were eaten by mice before the monks came; "
    "here begins the second book, in which the mice are answered and the margins are restored. "
) * 8
chars = sorted(set(TEXT))
stoi = {ch: i for i, ch in enumerate(chars)}
data = torch.tensor([stoi[c] for c in TEXT])
splits = {"train": data[: int(0.9 * len(data))], "val": data[int(0.9 * len(data)) - block_size :]}


def get_batch(split):
    source = splits[split]
    ix = torch.randint(len(source) - block_size, (batch_size,))
    x = torch.stack([source[i : i + block_size] for i in ix])
    y = torch.stack([source[i + 1 : i + 1 + block_size] for i in ix])
    return x, y


model = GPT(GPTConfig(block_size=block_size, vocab_size=len(chars)))
optimizer = model.configure_optimizers(weight_decay, learning_rate, (beta1, beta2))
raw_model = model
if compile:
    model = torch.compile(model, backend="eager", dynamic=False)


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in ["train", "val"]:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            X, Y = get_batch(split)
            _, loss = model(X, Y)
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


# learning rate decay scheduler (cosine with warmup)
def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    if it > lr_decay_iters:
        return min_lr
    decay_ratio = (it - warmup_iters) / (lr_decay_iters - warmup_iters)
    coeff = 0.5 * (1.0 + math.cos(math.pi * decay_ratio))
    return min_lr + coeff * (learning_rate - min_lr)


X, Y = get_batch("train")  # fetch the very first batch
best_val_loss = 1e9
checkpoint = None
for iter_num in range(max_iters):
    lr = get_lr(iter_num)
    for param_group in optimizer.param_groups:
        param_group["lr"] = lr

    for _micro_step in range(gradient_accumulation_steps):
        _, loss = model(X, Y)
        loss = loss / gradient_accumulation_steps
        X, Y = get_batch("train")
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)

    if iter_num % log_interval == 0:
        lossf = loss.item() * gradient_accumulation_steps
        print(f"iter {iter_num}: loss {lossf:.4f}, lr {lr:.2e}")
    if (iter_num + 1) % eval_interval == 0:
        losses = estimate_loss()
        print(f"step {iter_num}: train {losses['train']:.4f}, val {losses['val']:.4f}")
        if losses["val"] < best_val_loss:
            best_val_loss = losses["val"]
            checkpoint = {"model": raw_model.state_dict(), "iter": iter_num, "config": config}
        context = torch.tensor([[stoi[c] for c in "here"]])
        tokens = generate(model, context, sample_tokens, block_size, temperature=0.8, top_k=10)
        print(repr("".join(chars[i] for i in tokens[0].tolist())))
