"""What recording costs a GPT of 124 M parameters at a batch that people train with."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo
import torch._dynamo.compiled_autograd as torch_engine
from torch import nn

import ca_engine
from benchmarks.models import Block

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings


class GPT(nn.Module):
    """GPT-2's sizes; its output shares its weights with the embedding."""

    def __init__(self, layers: int, width: int, heads: int, vocabulary: int, length: int) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        logits = self.head(self.norm(self.blocks(self.tokens(tokens) + self.places(places))))
        return nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())


def run(settings: Settings, result: Result) -> None:
    if settings.is_cuda:
        sizes, rows, steps = (12, 768, 12, 50_257, 1024), 8, 10 if settings.quick else 40
    else:
        sizes, rows, steps = (2, 32, 4, 64, 16), 2, 6
    torch.manual_seed(0)
    model = GPT(*sizes).to(settings.device)
    count = sum(parameter.numel() for parameter in model.parameters())
    result.facts["parameters"] = f"{count / 1e6:.1f} M"
    result.facts["batch"] = f"{rows} × {sizes[-1]} tokens, bf16"
    tokens = torch.randint(sizes[3], (rows, sizes[4]), device=settings.device)
    plain = step_time(model, tokens, settings, steps, record=False)
    recorded = step_time(model, tokens, settings, steps, record=True)
    result.measured("a step, not recorded", plain * 1e3, "ms")
    result.measured("a step, recorded", recorded * 1e3, "ms")
    result.measured("recording adds", (recorded / plain - 1) * 100, "%")


def step_time(
    model: nn.Module, tokens: torch.Tensor, settings: Settings, steps: int, *, record: bool
) -> float:
    """The median of the steps' seconds, the first five left out."""
    ca_engine.clear_cache()
    torch._dynamo.reset()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=settings.is_cuda)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    taken = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        if record:
            stack.enter_context(ca_engine.record(Path(folder) / "run"))
        else:
            stack.enter_context(ca_engine.install(lowering=False))
        compiler: Any = torch.compile(backend="eager")
        stack.enter_context(torch_engine._enable(compiler, dynamic=False))
        for _ in range(5 + steps):
            begin = perf_counter()
            optimizer.zero_grad(set_to_none=False)
            with torch.autocast(settings.device, dtype=torch.bfloat16):
                loss = model(tokens)
            loss.backward()
            optimizer.step()
            if settings.is_cuda:
                torch.cuda.synchronize()
            taken.append(perf_counter() - begin)
    return statistics.median(taken[5:])
