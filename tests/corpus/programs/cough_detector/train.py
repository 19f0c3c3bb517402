import json
import time
from functools import partial

import torch
from audio import make_split
from features import Detector
from schedule import Scheduled, cosine
from torch.nn.functional import binary_cross_entropy_with_logits

BATCH, EPOCHS, STEPS = 16, 3, 4

torch.manual_seed(41)
detector = Detector()
optimizer = torch.optim.SGD(detector.parameters(), lr=0.05, momentum=0.9)


@torch.compile(backend="aot_eager")
def training_loss(wave, label, gain):
    logits = detector(wave * gain)
    return binary_cross_entropy_with_logits(logits, label, reduction="none")


@torch.compile(backend="aot_eager")
@torch.no_grad()
def probability(wave):
    return detector(wave).sigmoid()


def epoch_of(waves, labels, generator):
    order = torch.randperm(len(waves), generator=generator)
    for rows in order[: STEPS * BATCH].view(STEPS, BATCH):
        yield waves[rows], labels[rows]


def main():
    began = time.perf_counter()
    generator = torch.Generator().manual_seed(5)
    train, test = make_split(70, 1), make_split(BATCH * 2, 2)
    total = EPOCHS * STEPS
    scheduled = Scheduled(
        optimizer,
        lr=partial(cosine, total=total, low=0.001, high=0.05),
        momentum=partial(cosine, total=total, low=0.95, high=0.85),
    )
    log = []
    for epoch in range(EPOCHS):
        detector.train()
        for wave, label in epoch_of(*train, generator):
            scheduled.step()
            gain = 0.5 + torch.rand(BATCH, 1, generator=generator)
            point = training_loss(wave, label, gain)
            # The easiest examples count less as training goes on.
            keep = max(BATCH // 2, BATCH - 2 * epoch)
            loss = point.topk(keep).values.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        detector.eval()
        guess = torch.cat([probability(wave) for wave in test[0].split(BATCH)])
        right = ((guess > 0.5) == test[1].bool()).float().mean().item()
        log.append({"epoch": epoch, "loss": round(loss.item(), 3), "right": right})
    print(json.dumps(log), f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
