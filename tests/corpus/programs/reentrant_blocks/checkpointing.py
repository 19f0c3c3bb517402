"""Gradient checkpointing as a mixin, as libraries of models have it."""

from functools import partial

from torch.utils.checkpoint import checkpoint


class CheckpointingMixin:
    supports_checkpointing = True
    recompute = None

    def enable_checkpointing(self, **options):
        options.setdefault("use_reentrant", True)
        self.recompute = partial(checkpoint, **options)

    def run(self, block, *inputs):
        if self.recompute is None or not self.training:
            return block(*inputs)
        return self.recompute(block, *inputs)
