"""Command line of the trainer."""

import argparse


def get_parser():
    parser = argparse.ArgumentParser("hymn translation")
    group = parser.add_argument_group("optimization")
    group.add_argument("--max-epoch", type=int, default=3)
    group.add_argument("--update-freq", type=int, default=2)
    group.add_argument("--lr", type=float, default=5e-4)
    group.add_argument("--warmup-updates", type=int, default=6)
    group.add_argument("--clip-norm", type=float, default=1.0)
    group = parser.add_argument_group("criterion")
    group.add_argument("--label-smoothing", type=float, default=0.1)
    group.add_argument("--smoothing-warmup-epochs", type=int, default=3)
    group = parser.add_argument_group("model")
    group.add_argument("--embed-dim", type=int, default=24)
    group.add_argument("--ffn-dim", type=int, default=48)
    group.add_argument("--layers", type=int, default=1)
    group.add_argument("--dropout", type=float, default=0.1)
    return parser
