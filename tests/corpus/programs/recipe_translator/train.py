import argparse

import torch
from criterion import length_loss, translation_loss
from data import RecipeCorpus
from model import Translator
from vocab import PAD, SIZE


def parse(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=48)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--length-every", type=int, default=3, help="updates per length update")
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--clip", type=float, default=1.0)
    return parser.parse_args(argv)


class Task:
    def __init__(self, args):
        self.args = args
        self.model = Translator(SIZE)
        self.forward = torch.compile(self.model, backend="aot_eager", dynamic=False)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr, betas=(0.9, 0.98))
        self.updates = 0

    def update(self, batch):
        source, target = batch["source"], batch["target"]
        logits, length = self.forward(source, target[:, :-1])
        if self.updates % self.args.length_every == self.args.length_every - 1:
            name, loss = "length", length_loss(length, target[:, 1:])
        else:
            name, loss = "nll", translation_loss(logits, target[:, 1:])
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip)
        self.optimizer.step()
        self.updates += 1
        return name, loss.item(), int((target != PAD).sum())


def main(args):
    torch.manual_seed(1)
    corpus = RecipeCorpus(args.pairs, seed=1)
    task = Task(args)
    for epoch in range(args.epochs):
        sums, tokens = {"nll": [], "length": []}, 0
        for batch in corpus.batches(args.batch_size, seed=epoch):
            name, loss, count = task.update(batch)
            sums[name].append(loss)
            tokens += count
        means = {name: round(sum(all_) / max(1, len(all_)), 3) for name, all_ in sums.items()}
        print(f"epoch {epoch} | {means} | {tokens} tokens | {task.updates} updates")


if __name__ == "__main__":
    main(parse())
