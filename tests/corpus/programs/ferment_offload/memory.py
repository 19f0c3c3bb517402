"""How a step is run: where its activations wait, and whether it can be repeated exactly."""

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import torch
from torch.autograd.graph import save_on_cpu


@dataclass
class Policy:
    offload: bool = False
    audit_every: int = 5

    def audits(self, number):
        return number % self.audit_every == 0

    @contextmanager
    def step(self, number):
        before = torch.are_deterministic_algorithms_enabled()
        torch.use_deterministic_algorithms(self.audits(number))
        with ExitStack() as stack:
            if self.offload:
                stack.enter_context(save_on_cpu())
            yield
        torch.use_deterministic_algorithms(before)
