"""python train.py --batch-size 32 --accum 4"""

import argparse

import torch
from towers import TwoTower


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--users", type=int, default=200)
    p.add_argument("--records", type=int, default=300)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--accum", type=int, default=4)
    p.add_argument("--steps", type=int, default=24)
    p.add_argument("--lr", type=float, default=1e-2)
    return p.parse_args()


def purchases(args, seed=3):
    g = torch.Generator().manual_seed(seed)
    while True:
        users = torch.randint(args.users, (args.batch_size,), generator=g)
        noise = torch.randint(0, 5, (args.batch_size,), generator=g)
        yield users, (users + noise) % args.records


def main():
    args = get_args()
    torch.manual_seed(0)
    model = TwoTower(args.users, args.records)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=3)
    data = purchases(args)
    running = 0.0
    for step in range(1, args.steps + 1):
        users, records = next(data)
        loss = model(users, records)
        (loss / args.accum).backward()
        running += loss.item()
        if step % args.accum == 0:
            opt.step()
            sched.step()
            opt.zero_grad()
            print(f"{step:4d} loss {running / args.accum:.4f} lr {sched.get_last_lr()[0]:.4f}")
            running = 0.0


if __name__ == "__main__":
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        main()
