from __future__ import annotations

import logging
import time
from collections import Counter

import torch
from network import EtaModel
from schemas import EtaRequest, collate

log = logging.getLogger("eta")


class EtaService:
    """Answers batches of requests with minutes."""

    def __init__(self, batch_size: int = 8, backend: str = "aot_eager") -> None:
        self.batch_size = batch_size
        self.model = EtaModel().eval()
        self.predict = torch.compile(self.model, backend=backend)
        self.metrics: Counter[str] = Counter()

    @torch.inference_mode()
    def answer(self, requests: list[EtaRequest]) -> dict[str, float]:
        began = time.perf_counter()
        batch = collate(requests)
        minutes = self.predict(**batch)
        self.metrics["requests"] += len(requests)
        self.metrics["micros"] += int(1e6 * (time.perf_counter() - began))
        log.debug("batch of %d", len(requests))
        return {r.request_id: m for r, m in zip(requests, minutes.tolist(), strict=True)}
