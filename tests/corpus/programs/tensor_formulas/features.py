"""Turns rows into features by formulas."""

from dataclasses import dataclass, field

import torch
from formulas import FORMULAS, formula_of


@dataclass
class FeatureBuilder:
    columns: tuple = ("price", "area", "rate", "month")
    formulas: dict = field(default_factory=lambda: dict(FORMULAS))

    def __call__(self, rows):
        columns = dict(zip(self.columns, rows.unbind(1), strict=True))
        return torch.stack(list(self._features(columns)), 1)

    def _features(self, columns):
        for text in self.formulas.values():
            yield formula_of(text, self.columns)(**columns)
