"""
Trains a GPT on inscriptions cut in stone. Attention looks further back as training goes on.
"""

import contextlib
import math

import torch
import torch._dynamo.compiled_autograd
from model import GPT, GPTConfig

# -----------------------------------------------------------------------------
eval_interval = 6
eval_iters = 2
batch_size = 6
block_size = 24
gradient_accumulation_steps = 3
max_iters = 12
learning_rate = 3e-3
warmup_iters = 3
lr_decay_iters = 12
min_lr = 3e-4
weight_decay = 1e-1
grad_clip = 1.0
compile = True
compile_backward = True
backend = "aot_eager"
# -----------------------------------------------------------------------------

text = "IMP CAESARI DIVI NERVAE F NERVAE TRAIANO AVG GERM DACICO PONTIF MAXIMO TRIB POT " * 12
chars = sorted(set(text))
stoi = {ch: i for i, ch in enumerate(chars)}
data = torch.tensor([stoi[ch] for ch in text])
split = int(0.9 * len(data))
torch.manual_seed(1337)


def get_batch(part):
    source = data[:split] if part == "train" else data[split:]
    ix = torch.randint(len(source) - block_size, (batch_size,))
    x = torch.stack([source[i : i + block_size] for i in ix])
    y = torch.stack([source[i + 1 : i + 1 + block_size] for i in ix])
    return x, y


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    decay_ratio = min(1.0, (it - warmup_iters) / (lr_decay_iters - warmup_iters))
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * decay_ratio)) * (learning_rate - min_lr)


def get_window(it):
    return 8 * (1 + 3 * it // max_iters)


raw_model = GPT(GPTConfig(block_size=block_size, vocab_size=len(chars)))
optimizer = raw_model.configure_optimizers(weight_decay, learning_rate, (0.9, 0.95))
model = torch.compile(raw_model, backend=backend) if compile else raw_model


def backward_context():
    if not compile_backward:
        return contextlib.nullcontext()
    return torch._dynamo.compiled_autograd._enable(torch.compile(backend=backend))


@torch.no_grad()
def estimate_loss():
    raw_model.eval()
    out = {}
    for part in ("train", "val"):
        out[part] = torch.stack([raw_model(*get_batch(part)) for _ in range(eval_iters)]).mean()
    raw_model.train()
    return out


X, Y = get_batch("train")
for iter_num in range(max_iters):
    lr = get_lr(iter_num)
    for param_group in optimizer.param_groups:
        param_group["lr"] = lr
    raw_model.set_window(get_window(iter_num))
    if iter_num % eval_interval == 0:
        losses = estimate_loss()
        print(f"step {iter_num}: train {losses['train']:.4f}, val {losses['val']:.4f}")
    for _ in range(gradient_accumulation_steps):
        loss = model(X, Y) / gradient_accumulation_steps
        X, Y = get_batch("train")
        with backward_context():
            loss.backward()
    torch.nn.utils.clip_grad_norm_(raw_model.parameters(), grad_clip)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    print(f"iter {iter_num}: loss {loss.item() * gradient_accumulation_steps:.4f}, lr {lr:.1e}")
