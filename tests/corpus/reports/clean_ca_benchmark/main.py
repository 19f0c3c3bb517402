import torch
from bench import Benchmark


def main():
    torch.manual_seed(0)
    bench = Benchmark(compiled_autograd=True, warmup=2, iters=6)
    loss = bench.run()
    print(f"{len(bench.times)} timed iterations, loss {loss:.5f}")
    print("FINAL", round(loss, 5))


if __name__ == "__main__":
    main()
