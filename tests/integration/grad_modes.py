"""Functions that run with gradients and without, or in two modes of a module: one way each."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

X = torch.randn(8, 6)


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Dropout(0.1), nn.Linear(6, 1))


def trained(loss: torch.Tensor) -> None:
    loss.square().mean().backward()


def probe_on_another_line() -> None:
    model = net()

    @torch.compile(backend="eager")
    def probed(x: torch.Tensor) -> Any:
        return model(x)

    for _ in range(5):
        with torch.no_grad():
            hardest = probed(X).argsort(0).flatten()
        trained(probed(X[hardest]))


def average_every_fourth_step() -> None:
    model = net()

    @torch.compile(backend="eager")
    def averaged(x: torch.Tensor) -> Any:
        return model(x)

    for step in range(9):
        trained(averaged(X))
        if step % 4 == 3:
            with torch.no_grad():
                averaged(X).mean()


def reentrant_checkpoint() -> None:
    model = net()

    @torch.compile(backend="eager")
    def recomputed(x: torch.Tensor) -> Any:
        return model(x)

    for _ in range(3):
        trained(checkpoint(recomputed, X.clone().requires_grad_(), use_reentrant=True))  # <- CA112


def norm_is_frozen() -> None:
    model = net()

    @torch.compile(backend="eager")
    def frozen(x: torch.Tensor) -> Any:
        return model(x)

    for step in range(6):
        if step == 3:
            model[1].eval()
        trained(frozen(X))


def sampler_in_inference_mode() -> None:
    model = net()

    @torch.compile(backend="eager")
    def sampled(x: torch.Tensor) -> Any:
        return model(x)

    for _ in range(4):
        with torch.inference_mode():
            samples = sampled(X)
        trained(sampled(X) - samples.clone())


def validation_each_epoch() -> None:
    model = net()

    @torch.compile(backend="eager")
    def validated(x: torch.Tensor) -> Any:
        return model(x)

    for _ in range(2):
        model.train()
        for _ in range(3):
            trained(validated(X))
        model.eval()
        with torch.no_grad():
            for _ in range(2):
                validated(X)


def one_line_in_both_modes() -> None:
    model = net()

    @torch.compile(backend="eager")
    def flipped(x: torch.Tensor) -> Any:
        return model(x)

    def run(keep: bool) -> torch.Tensor:
        with torch.set_grad_enabled(keep):
            return flipped(X)

    for _ in range(4):
        losses = [run(keep) for keep in (False, True)]
        trained(losses[1])


def pseudo_labels() -> None:
    model = net()

    @torch.compile(backend="eager")
    def labelled(x: torch.Tensor) -> Any:
        return model(x)

    for _ in range(4):
        model.eval()
        with torch.no_grad():
            labels = labelled(X)
        model.train()
        trained(labelled(X) - labels)


def attack_in_evaluation() -> None:
    model = net()

    @torch.compile(backend="eager")
    def attacked(x: torch.Tensor) -> Any:
        return model(x)

    for _ in range(3):
        trained(attacked(X))
    model.eval()
    for _ in range(2):
        given = X.clone().requires_grad_()
        trained(attacked(given))


if __name__ == "__main__":
    for one in (
        probe_on_another_line,
        average_every_fourth_step,
        reentrant_checkpoint,
        norm_is_frozen,
        sampler_in_inference_mode,
        validation_each_epoch,
        one_line_in_both_modes,
        pseudo_labels,
        attack_in_evaluation,
    ):
        one()
