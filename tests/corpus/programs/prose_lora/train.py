"""
Adapts a (toy) GPT to another prose: first the head alone, then LoRA and the head.
"""

import math

import torch
from lora import lora_state_dict, mark_only
from model import GPT

# -----------------------------------------------------------------------------
batch_size = 4
gradient_accumulation_steps = 3
max_iters = 8
head_iters = 3  # the adapters join after these
learning_rate = 1e-2
min_lr = 1e-3
warmup_iters = 2
weight_decay = 0.1
grad_clip = 1.0
eval_interval = 4
config = {"block_size": 16, "vocab_size": 27, "n_layer": 1, "n_head": 2, "n_embd": 16, "r": 2}
# -----------------------------------------------------------------------------
torch.manual_seed(1337)

prose = "it was a bright cold day in april and the clocks were striking thirteen " * 12
data = torch.tensor([0 if c == " " else ord(c) - 96 for c in prose])


def get_batch():
    ix = torch.randint(len(data) - config["block_size"] - 1, (batch_size,))
    x = torch.stack([data[i : i + config["block_size"]] for i in ix])
    y = torch.stack([data[i + 1 : i + 1 + config["block_size"]] for i in ix])
    return x, y


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / warmup_iters
    ratio = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


@torch.no_grad()
def estimate_loss(model):
    model.eval()
    out = torch.stack([model(*get_batch())[1] for _ in range(3)]).mean()
    model.train()
    return out.item()


model = GPT(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=weight_decay)

for iter_num in range(max_iters):
    for group in optimizer.param_groups:
        group["lr"] = get_lr(iter_num)
    if iter_num % eval_interval == 0:
        print(f"step {iter_num}: val loss {estimate_loss(model):.4f}")
    if iter_num == 0:
        mark_only(model, "lm_head")
    if iter_num == head_iters:
        mark_only(model, "lora_", "lm_head")

    for _micro_step in range(gradient_accumulation_steps):
        X, Y = get_batch()
        logits, loss = model(X, Y)
        loss = loss / gradient_accumulation_steps
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)

print(f"final {estimate_loss(model):.4f}, {len(lora_state_dict(model))} tensors to keep")
