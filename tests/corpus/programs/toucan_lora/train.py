"""Finetunes a small GPT through adapters, from the topmost block downwards."""

import math

import corpus
import lora
import torch
from gpt import GPT, GPTConfig

# -----------------------------------------------------------------------------
block_size = 32
gradient_accumulation_steps = 3
max_iters = 6
unlock_every = 3  # one more block
learning_rate = 2e-3
min_lr = 2e-4
warmup_iters = 2
grad_clip = 1.0
lora_r = 4
lora_alpha = 8
seed = 1337
# -----------------------------------------------------------------------------

torch.manual_seed(seed)
generator = torch.Generator().manual_seed(seed)
tokenizer, get_block = corpus.load(block_size)
model = GPT(GPTConfig(block_size=block_size, vocab_size=len(tokenizer)))
model = lora.inject(model, r=lora_r, alpha=lora_alpha)
trainable = [p for name, p in model.named_parameters() if "lora_" in name]
optimizer = torch.optim.AdamW(trainable, lr=learning_rate, betas=(0.9, 0.95))
print(f"{sum(p.numel() for p in trainable)} trainable parameters")


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    ratio = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


@torch.no_grad()
def estimate_loss():
    model.eval()
    val = torch.Generator().manual_seed(0)
    losses = torch.stack([model(*get_block(val))[1] for _ in range(3)])
    model.train()
    return losses.mean().item()


for iter_num in range(max_iters):
    for group in optimizer.param_groups:
        group["lr"] = get_lr(iter_num)
    lora.set_depth(model, 1 + iter_num // unlock_every)
    for _ in range(gradient_accumulation_steps):
        X, Y = get_block(generator)
        logits, loss = model(X, Y)
        (loss / gradient_accumulation_steps).backward()
    torch.nn.utils.clip_grad_norm_(trainable, grad_clip)
    optimizer.step()
    optimizer.zero_grad()
    if iter_num % 4 == 0:
        norm = lora.merged_norm(model).item()
        print(f"iter {iter_num}: loss {estimate_loss():.4f}, adapters {norm:.4f}")
