"""Train a small neural codec with one discriminator."""

import torch
from audio import batches
from config import CodecConfig
from solver import Solver


def main():
    cfg = CodecConfig()
    torch.manual_seed(cfg.seed)
    solver = Solver(cfg)
    for step, wave in enumerate(batches(cfg)):
        loss_g, loss_d = solver.run_step(wave)
        if step % 4 == 3:
            print(f"{step + 1:3d} g {loss_g:.3f} d {loss_d:.3f}")
    print(f"latent gradient {solver.monitor.summary():.4f}")


if __name__ == "__main__":
    main()
