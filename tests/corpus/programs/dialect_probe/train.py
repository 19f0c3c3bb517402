import argparse

import encoders
import torch
from corpus import UtteranceCorpus
from registry import build


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--encoder", default="attn")
    p.add_argument("--dim", type=int, default=16)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--start-crop", type=int, default=16)
    p.add_argument("--crop-step", type=int, default=12)
    p.add_argument("--batch-size", type=int, default=12)
    p.add_argument("--lr", type=float, default=1e-3)
    return p.parse_args()


def crop_at(epoch, args):
    """Short crops at first: they are easier."""
    return min(args.start_crop + epoch * args.crop_step, 64)


def main(args):
    torch.manual_seed(11)
    corpus = UtteranceCorpus()
    encoder = build(args.encoder, n_mfcc=12, dim=args.dim, heads=2, depth=2)
    model = encoders.DialectProbe(encoder, args.dim)
    step = torch.compile(model, backend="aot_eager")
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    g = torch.Generator().manual_seed(0)
    for epoch in range(args.epochs):
        hits = seen = 0
        for batch in corpus.batches(args.batch_size, crop_at(epoch, args), g):
            loss, logits = step(**batch)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            hits += (logits.argmax(-1) == batch["dialect"]).sum().item()
            seen += len(logits)
        print(f"epoch {epoch:02d} loss {loss.item():.3f} acc {hits / seen:.3f}")


if __name__ == "__main__":
    main(get_args())
