import argparse

import torch
from callbacks import Average, GradientWatch, Patience
from data import Purchases
from model import SelfAttentiveRecommender, sampled_softmax
from torch._dynamo import compiled_autograd


def get_args():
    parser = argparse.ArgumentParser(description="next thread, button or ribbon")
    parser.add_argument("--customers", type=int, default=44)
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--max_len", type=int, default=8)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--negatives", type=int, default=6)
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


@torch.no_grad()
def hit_rate(model, loader, k=5):
    """Over whole histories, also the last and smaller batch of them."""
    hits = seen = 0
    for rows in loader:
        state = model(rows[:, :-1])[:, -1]
        top = (state @ model.item.weight.T).topk(k).indices
        hits += (top == rows[:, -1:]).any(1).sum().item()
        seen += len(rows)
    return hits / seen


def main(args):
    torch.manual_seed(args.seed)
    purchases = Purchases(args.customers, args.items, args.max_len, args.seed)
    train_loader = purchases.loader(args.batch_size, train=True)
    test_loader = purchases.loader(args.batch_size, train=False)
    model = SelfAttentiveRecommender(args.items, args.max_len, args.dim, args.dropout)
    watch, average, patience = GradientWatch(model.item.weight), Average(model), Patience(2)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=args.lr)
    for p in model.parameters():
        p.grad = torch.zeros_like(p)

    step = 0
    for epoch in range(args.epochs):
        temperature = 1.0 - 0.15 * epoch
        model.train()
        for rows in train_loader:
            history, following = rows[:, :-1], rows[:, 1:]
            others = torch.randint(1, args.items, (*following.shape, args.negatives))
            state = model(history)
            positive = model.score(state, following[..., None])
            negative = model.score(state, others)
            mask = (following > 0).float()
            loss = sampled_softmax(positive, negative, mask, temperature) / args.accumulate
            loss.backward()
            if step % args.accumulate == args.accumulate - 1:
                optimizer.step()
                optimizer.zero_grad(set_to_none=False)
                average.update(model, step)
            step += 1
        model.eval()
        hits = hit_rate(average.model, test_loader)
        print(
            f"epoch {epoch} loss {loss.item() * args.accumulate:.3f} T {temperature:.2f} "
            f"hit@5 {hits:.2f} gradient {watch.report():.3f}"
        )
        if patience.exhausted(hits):
            break


if __name__ == "__main__":
    arguments = get_args()
    with compiled_autograd._enable(torch.compile(backend="aot_eager", dynamic=False)):
        main(arguments)
