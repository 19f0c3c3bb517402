"""Embedding server: warmed in the main thread, answered by a pool."""
import argparse
from concurrent.futures import ThreadPoolExecutor

import torch

from embedder import Embedder
from runtime import Runtime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=6)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(27)
    runtime = Runtime(Embedder(words=50, width=8))
    runtime.warm_up()
    with ThreadPoolExecutor(options.workers) as pool:
        jobs = [pool.submit(runtime.answer, seed) for seed in range(options.requests)]
        total = sum(job.result() for job in jobs)
    print("FINAL %.5f" % total)


if __name__ == "__main__":
    main()
