"""Pretrains a small GPT on notes; what is evaluated and when is in the constants on top."""

import math

import torch
from data import Tokens
from model import GPT, GPTConfig
from torch._dynamo import compiled_autograd

eval_interval = 4
eval_iters = 2
gradient_accumulation_steps = 3
batch_size = 6
learning_rate = 1e-3
min_lr = 1e-4
warmup_iters = 2
max_iters = 10
weight_decay = 1e-1
grad_clip = 1.0


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / (warmup_iters + 1)
    ratio = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


@torch.no_grad()
def estimate_loss(model, tokens):
    out = {}
    model.eval()
    for split in ("train", "val"):
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            X, Y = tokens.get_batch(split, batch_size, model.config.block_size)
            _, loss = model(X, Y)
            losses[k] = loss.item()
        out[split] = losses.mean()
    return out


def main():
    torch.manual_seed(1337)
    config = GPTConfig()
    tokens = Tokens(config.vocab_size)
    model = GPT(config)
    optimizer = model.configure_optimizers(weight_decay, learning_rate)
    X, Y = tokens.get_batch("train", batch_size, config.block_size)
    model.train()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for iter_num in range(max_iters):
            for group in optimizer.param_groups:
                group["lr"] = get_lr(iter_num)
            for _ in range(gradient_accumulation_steps):
                _, loss = model(X, Y)
                loss = loss / gradient_accumulation_steps
                X, Y = tokens.get_batch("train", batch_size, config.block_size)
                loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            if (iter_num + 1) % eval_interval == 0:
                losses = estimate_loss(model, tokens)
                print(f"step {iter_num}: {losses['train']:.3f}, {losses['val']:.3f}")


if __name__ == "__main__":
    main()
