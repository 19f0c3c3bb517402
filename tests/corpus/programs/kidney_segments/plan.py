"""Stages of fine-tuning."""

from collections.abc import Callable, Iterator

from unet import UNet


def everything(model: UNet) -> None:
    model.requires_grad_(True)


def without_encoder(model: UNet) -> None:
    model.encoder.requires_grad_(False)


def settled(model: UNet) -> None:
    model.frozen_statistics = True


PLAN: dict[int, Callable[[UNet], None]] = {0: without_encoder, 1: everything, 2: settled}


def epochs(model: UNet, count: int) -> Iterator[int]:
    for epoch in range(count):
        if epoch in PLAN:
            PLAN[epoch](model)
        model.train()
        yield epoch
        model.eval()
