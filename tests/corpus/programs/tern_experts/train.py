import argparse

import torch
from guards import limit_gradients
from model import TernLM
from torch.nn import functional as F


def corpus(vocab, length, seed):
    """Walks of terns between islands: from each island they fly on to one of three."""
    g = torch.Generator().manual_seed(seed)
    following = torch.randint(vocab, (vocab, 3), generator=g)
    draws = torch.randint(3, (length,), generator=g).tolist()
    walk = [0]
    for draw in draws:
        walk.append(int(following[walk[-1], draw]))
    return torch.tensor(walk)


def batches(data, batch_size, context, steps):
    for _ in range(steps):
        starts = torch.randint(len(data) - context - 1, (batch_size, 1))
        window = data[starts + torch.arange(context + 1)]
        yield window[:, :-1], window[:, 1:]


def main(args):
    torch.manual_seed(args.seed)
    data = corpus(args.vocab, 2000, args.seed)
    model = TernLM(
        vocab=args.vocab,
        dim=args.dim,
        hidden=2 * args.dim,
        depth=1,
        context=args.context,
        num_experts=args.experts,
    )
    for layer in model.layers:
        limit_gradients(layer.moe.gate, args.gate_limit)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)

    for step, (x, y) in enumerate(batches(data, args.batch_size, args.context, args.steps)):
        logits, aux = model(x)
        balance = args.balance * min(1.0, step / 8)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten()) + balance * aux
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        if step % 4 == 0:
            print(f"{step:3d} loss {loss.item():.3f} aux {aux.item():.3f} balance {balance:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--vocab", type=int, default=20)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--experts", type=int, default=3)
    parser.add_argument("--context", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=2)
    parser.add_argument("--steps", type=int, default=14)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--balance", type=float, default=0.01)
    parser.add_argument("--gate-limit", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=5)
    main(parser.parse_args())
