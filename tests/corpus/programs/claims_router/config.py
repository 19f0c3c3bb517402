import argparse


def parse_args(argv=None):
    parser = argparse.ArgumentParser("claims router")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch_size", type=int, default=12)
    parser.add_argument("--max_tokens", type=int, default=18)
    parser.add_argument("--tau_start", type=float, default=2.0)
    parser.add_argument("--tau_end", type=float, default=0.5)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--backend", default="aot_eager")
    return parser.parse_args(argv)
