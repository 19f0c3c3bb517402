"""Pretrains the model of amino acids."""

import torch
from pretrain import build, loss_of
from schedule import rate_at, set_rate

TOTAL, WARMUP, PEAK = 10, 3, 4e-3


def main():
    torch.manual_seed(0)
    model, optimizer = build(PEAK)

    @torch.compile(backend="eager")
    def update():
        optimizer.step()

    for step in range(TOTAL):
        set_rate(optimizer, rate_at(step, peak=PEAK, warmup=WARMUP, total=TOTAL))
        loss = loss_of(model, torch.randint(0, 20, (6, 24)))
        loss.backward()
        update()
        optimizer.zero_grad(set_to_none=True)


if __name__ == "__main__":
    main()
