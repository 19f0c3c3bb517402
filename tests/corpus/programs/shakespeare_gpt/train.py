"""Train a character-level GPT on a piece of Shakespeare."""

import argparse
from contextlib import nullcontext

import torch
from data import get_dataloader
from model import GPT, GPTConfig, get_lr
from torch._dynamo import compiled_autograd


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--grad-clip", type=float, default=1.0)
    parser.add_argument("--no-compiled-backward", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(1337)
    dataset, loader = get_dataloader(block_size=32, batch_size=args.batch_size)
    model = GPT(GPTConfig(vocab_size=dataset.vocab_size))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95))

    compiled = nullcontext()
    if not args.no_compiled_backward:
        compiled = compiled_autograd._enable(torch.compile(backend="eager"))

    iter_num = 0
    running = None
    with compiled:
        for epoch in range(args.epochs):
            for x, y in loader:
                lr = get_lr(iter_num)
                for group in optimizer.param_groups:
                    group["lr"] = lr
                loss = model(x, y)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.grad_clip)
                optimizer.step()
                lossf = loss.item()
                running = lossf if running is None else 0.9 * running + 0.1 * lossf
                iter_num += 1
            print(f"epoch {epoch}: loss {running:.4f}, lr {lr:.2e}")


if __name__ == "__main__":
    main()
