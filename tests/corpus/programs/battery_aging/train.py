import logging

import torch
from base import log
from cells import Windows
from network import FadeNet
from settings import Settings


def optimise(net, windows, settings):
    compiled = torch.compile(net, backend=settings.backend)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=settings.lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=settings.lr, total_steps=settings.steps
    )
    for step in range(settings.steps):
        curve, fade = windows.draw()
        loss = torch.nn.functional.smooth_l1_loss(compiled(curve), 100 * fade)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        if step % 5 == 0:
            log.info("step %d: %.4f at %.5f", step, loss.item(), scheduler.get_last_lr()[0])
    return loss.item()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    settings = Settings()
    torch.manual_seed(settings.seed)
    net = FadeNet(settings)
    last = optimise(net, Windows(settings), settings)
    print(f"last loss {last:.4f}", {k: round(v, 2) for k, v in net.report().items()})
