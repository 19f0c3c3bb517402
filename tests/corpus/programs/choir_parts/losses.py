"""How well each part is recovered."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional


def spectral(guess: Tensor, true: Tensor) -> Tensor:
    shift = guess[:, 1:] - guess[:, :-1]
    return functional.mse_loss(shift, true[:, 1:] - true[:, :-1])


def correlation(guess: Tensor, true: Tensor) -> Tensor:
    return 1 - functional.cosine_similarity(guess, true, dim=1).mean()


MEASURES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "soprano": functional.l1_loss,
    "alto": correlation,
    "tenor": functional.mse_loss,
    "bass": spectral,
}


def total(guessed: dict[str, Tensor], true: dict[str, Tensor]) -> Tensor:
    loss = torch.zeros(())
    for part, wave in true.items():
        loss = loss + MEASURES[part](guessed[part], wave)
    return loss / len(true)
