"""
Trains a small character GPT on limericks.
$ python train.py
"""

import torch
from model import GPT, GPTConfig
from sample import generate

# -----------------------------------------------------------------------------
# config
eval_interval = 10
eval_iters = 2
max_iters = 30
batch_size = 8
block_size = 32
gradient_accumulation_steps = 2
learning_rate = 3e-3
warmup_iters = 5
z_start = 12  # iterations before the z-loss sets in
z_max = 1e-3
backend = "aot_eager"
# -----------------------------------------------------------------------------

torch.manual_seed(1337)
text = """There was an old man with a beard,
who said "it is just as i feared!
two owls and a hen, four larks and a wren,
have all built their nests in my beard!"
""".lower()
chars = sorted(set(text))
stoi = {ch: i for i, ch in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text * 8])
n = int(0.9 * len(data))
splits = {"train": data[:n], "val": data[n:]}


def get_batch(split):
    d = splits[split]
    ix = torch.randint(len(d) - block_size, (batch_size,))
    x = torch.stack([d[i : i + block_size] for i in ix])
    y = torch.stack([d[i + 1 : i + 1 + block_size] for i in ix])
    return x, y


model = GPT(GPTConfig(block_size=block_size, vocab_size=len(chars)))
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.95))
unoptimized_model = model
model = torch.compile(model, backend=backend)


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in splits:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            _, loss = model(*get_batch(split))
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


def get_lr(it):
    return learning_rate * min(1.0, (it + 1) / warmup_iters)


def get_z(it):
    return z_max * max(0, it - z_start) / (max_iters - z_start)


for iter_num in range(max_iters):
    for group in optimizer.param_groups:
        group["lr"] = get_lr(iter_num)
    if iter_num % eval_interval == 0:
        losses = estimate_loss()
        print(f"step {iter_num}: train {losses['train']:.4f}, val {losses['val']:.4f}")
    for _ in range(gradient_accumulation_steps):
        X, Y = get_batch("train")
        logits, loss = model(X, Y, get_z(iter_num))
        (loss / gradient_accumulation_steps).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)

model.eval()
start = torch.full((2, 1), stoi["\n"])
for row in generate(model, start, 40, block_size, temperature=0.8, top_k=8).tolist():
    print("".join(chars[i] for i in row).strip())
    print("---------------")
