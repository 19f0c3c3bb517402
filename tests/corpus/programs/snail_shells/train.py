import argparse

import torch
import torch.nn.functional as F
from shells import RingNet, get_loaders


def train_one_epoch(model, loader, optimizer):
    model.train()
    running = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.smooth_l1_loss(model(x), y)
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running / len(loader)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    total = 0.0
    for x, y in loader:
        total += (model(x) - y).abs().sum().item()
    return total / len(loader.dataset)


def hardest(model, loader, k):
    """The k snails whose age the model misses most."""
    model.eval()
    errors = []
    for x, y in loader:
        guess = model(x)
        errors.append((guess - y).abs())
    return torch.cat(errors).topk(k).indices.tolist()


def main(args):
    torch.manual_seed(args.seed)
    train_loader, valid_loader = get_loaders(args.batch_size)
    model = torch.compile(RingNet(), backend=args.backend)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    for epoch in range(args.epochs):
        loss = train_one_epoch(model, train_loader, optimizer)
        mae = evaluate(model, valid_loader)
        scheduler.step()
        print(f"[{epoch}] train {loss:.3f} | valid mae {mae:.3f}")
    print("to look at:", hardest(model, valid_loader, k=args.show))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--backend", default="aot_eager")
    main(parser.parse_args())
