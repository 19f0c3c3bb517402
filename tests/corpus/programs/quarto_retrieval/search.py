"""Exact search over the whole catalog, for evaluation."""

from __future__ import annotations

import torch
from catalog import Catalog
from towers import TwoTowers


@torch.inference_mode()
def recall_at(model: TwoTowers, catalog: Catalog, k: int) -> float:
    model.eval()
    # ranks have to be the same on every machine that we compare
    torch.use_deterministic_algorithms(True, warn_only=True)
    rows = torch.arange(len(catalog.titles))
    index = model.title(catalog.titles)
    asked = model.query(catalog.queries(rows, torch.Generator().manual_seed(0)))
    found = (asked @ index.T).topk(k, dim=1).indices
    model.train()
    return (found == rows[:, None]).any(1).float().mean().item()
