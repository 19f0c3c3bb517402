"""Names the steps of Hugging Face's Trainer: ``Trainer(callbacks=[StepCallback()])``."""

from __future__ import annotations

import sys
import weakref
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ca_engine import steps
from ca_engine.recorder.stack import variables_of

if TYPE_CHECKING:
    from transformers import Trainer, TrainerCallback
else:
    try:
        from transformers import Trainer, TrainerCallback
    except ModuleNotFoundError as error:
        if error.name != "transformers":
            raise
        raise ModuleNotFoundError(
            "ca_engine.integrations.transformers needs Transformers: "
            "pip install 'ca-profiler[transformers]'"
        ) from None

# The Trainer's methods that run batches without a training step, and what we call these.
_PHASES = {"evaluate": "evaluation", "predict": "predict"}


class StepCallback(TrainerCallback):  # type: ignore[misc]
    """Calls each step ``step <number>, epoch <epoch>, <phase>``.

    The number is the Trainer's ``global_step``, which its progress bar shows and its
    checkpoints are called after: with gradient accumulation several backwards are one step.
    The phase is ``train``, ``evaluation`` or ``predict``; in the last two batches are counted.

    The Trainer has no event for the begin of an evaluation that nobody scheduled or of a
    ``predict``. So the first event puts a function around these two methods of that Trainer,
    which names the first batch and does nothing else.
    """

    def __init__(self) -> None:
        """Start outside of every step."""
        self._epoch: int | None = None
        self._evaluated = 0

    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Note the Trainer, which is there now."""
        self._surround(_trainer_that_calls())

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """As `on_init_end`, which a callback that was added later has missed."""
        self._surround(_trainer_that_calls())

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begin a step of the training loop: forward, backward and optimizer follow."""
        # The state's epoch is a fraction, and after the last step already the next one.
        self._epoch = None if state.epoch is None else int(state.epoch)
        steps.step(state.global_step, epoch=self._epoch, phase="train")

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """End the step: what follows belongs to none."""
        steps.forget()

    def on_prediction_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """End a batch of an evaluation or a prediction; the next one may follow."""
        if steps.current is not None and steps.current.phase in _PHASES.values():
            self._evaluated += 1
            steps.step(self._evaluated, epoch=self._epoch, phase=steps.current.phase)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """End step and epoch: what follows belongs to neither."""
        self._epoch = None
        steps.forget()

    def _surround(self, trainer: Trainer | None) -> None:
        """Let `evaluate` and `predict` of `trainer` begin with a name."""
        if trainer is None:
            return
        for method in _PHASES:
            if method not in vars(trainer):
                setattr(trainer, method, _Named(self, trainer, method))

    def begin(self, phase: str) -> steps.NamedStep:
        """Begin the first batch of an evaluation or a prediction, wherever it is called from."""
        self._evaluated = 0
        return steps.step(0, epoch=self._epoch, phase=phase)


class _Named:
    """A method of one Trainer that begins with a name."""

    def __init__(self, callback: StepCallback, trainer: Trainer, method: str) -> None:
        self._callback = callback
        self._method = method
        # A Trainer that held itself would keep its model in memory until the next collection.
        self._trainer = weakref.ref(trainer)
        update_wrapper(self, getattr(type(trainer), method))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        trainer = self._trainer()
        function = getattr(type(trainer), self._method)
        # A name of the user's own is theirs; of several data sets each begins anew.
        if steps.current is not None and steps.current.phase not in _PHASES.values():
            return function(trainer, *args, **kwargs)
        with self._callback.begin(_PHASES[self._method]):
            return function(trainer, *args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        # A search for hyperparameters sends its Trainer to other processes.
        return _Named, (self._callback, self._trainer(), self._method)


def _trainer_that_calls() -> Trainer | None:
    """Return the Trainer whose event this is; events do not say."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        caller = variables_of(frame).get("self")
        if isinstance(caller, Trainer):
            return caller
    return None
