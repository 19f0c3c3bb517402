"""Callbacks of the Trainer."""

from transformers import TrainerCallback


class LinearForgetting(TrainerCallback):
    """Forgets more words as training goes on."""

    def __init__(self, until=0.4):
        self.until = until

    def on_step_begin(self, args, state, control, model=None, **kwargs):
        done = state.global_step / max(1, state.max_steps)
        model.forgotten = 0.05 + (self.until - 0.05) * done
