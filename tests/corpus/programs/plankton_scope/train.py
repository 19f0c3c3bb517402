import argparse

import torch
from dataset import get_loaders
from scopenet import ActivationLogger, ScopeNet

device = "cuda" if torch.cuda.is_available() else "cpu"


def run_epoch(model, loader, criterion, optimizer=None):
    training = optimizer is not None
    model.train(training)
    loss_sum, hits, seen = 0.0, 0, 0
    with torch.set_grad_enabled(training):
        for batch in loader:
            labels = batch["labels"].to(device)
            logits = model(batch["pixel_values"].to(device))
            loss = criterion(logits, labels)
            if training:
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
            loss_sum += loss.item() * len(labels)
            hits += (logits.argmax(1) == labels).sum().item()
            seen += len(labels)
    return loss_sum / seen, hits / seen


def main(args):
    torch.manual_seed(args.seed)
    loaders = get_loaders(args.batch_size)
    net = ScopeNet().to(device)
    activations = ActivationLogger()
    activations.attach(net)
    model = torch.compile(net, backend=args.backend)
    criterion = torch.nn.CrossEntropyLoss(label_smoothing=0.05)
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        train_loss, train_acc = run_epoch(model, loaders["train"], criterion, optimizer)
        if epoch % args.log_every == 1:
            print({name: round(value.item(), 3) for name, value in activations.latest.items()})
        val_loss, val_acc = run_epoch(model, loaders["val"], criterion)
        print(f"{epoch}: {train_loss:.3f}/{train_acc:.2f} val {val_loss:.3f}/{val_acc:.2f}")
    activations.detach()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--log-every", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--backend", default="aot_eager")
    main(parser.parse_args())
