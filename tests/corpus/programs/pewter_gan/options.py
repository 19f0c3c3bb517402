import argparse


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--batchSize", type=int, default=12)
    p.add_argument("--niter", type=int, default=2)
    p.add_argument("--nz", type=int, default=8)
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--beta1", type=float, default=0.5)
    p.add_argument("--lambda_ms", type=float, default=0.1, help="weight of the mode seeking loss")
    p.add_argument("--ms_every", type=int, default=4, help="steps between mode seeking losses")
    p.add_argument("--noise", type=float, default=0.1, help="instance noise at the start")
    p.add_argument("--watch_every", type=int, default=3)
    return p.parse_args([])
