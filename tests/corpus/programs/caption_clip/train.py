"""Train CLIP on a few pairs, with an averaged copy for later."""

import logging
import math

import torch
from clip import CLIP
from pairs import get_loader
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("clip")


def main(epochs=3, base_lr=1e-3):
    torch.manual_seed(0)
    loader = get_loader(batch_size=16)
    model = CLIP()
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
    step_loss = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=base_lr, betas=(0.9, 0.98))
    total, step = epochs * len(loader), 0
    for epoch in range(epochs):
        meter = 0.0
        for images, tokens in loader:
            for group in optimizer.param_groups:
                group["lr"] = base_lr * 0.5 * (1 + math.cos(math.pi * step / total))
            weight = torch.tensor(0.5 + 0.3 * step / total)
            loss = step_loss(images, tokens, weight)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                model.logit_scale.clamp_(0, math.log(100))
            ema.update_parameters(model)
            meter += loss.item()
            step += 1
        log.info("epoch %d loss %.3f scale %.2f", epoch, meter / len(loader), model.logit_scale)


if __name__ == "__main__":
    main()
