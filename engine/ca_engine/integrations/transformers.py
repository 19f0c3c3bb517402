"""Names the steps of Hugging Face's Trainer: ``Trainer(callbacks=[StepCallback()])``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine import steps

if TYPE_CHECKING:
    from transformers import TrainerCallback
else:
    try:
        from transformers import TrainerCallback
    except ModuleNotFoundError as error:
        if error.name != "transformers":
            raise
        raise ModuleNotFoundError(
            "ca_engine.integrations.transformers needs Transformers: "
            "pip install 'ca-profiler[transformers]'"
        ) from None


class StepCallback(TrainerCallback):  # type: ignore[misc]
    """Calls each step ``step <number>, epoch <epoch>, <phase>``.

    The number is the Trainer's ``global_step``, which its progress bar shows and its
    checkpoints are called after: with gradient accumulation several backwards are one step.
    The phase is ``train`` or ``evaluation``; in an evaluation batches are counted. The
    Trainer has no event for the begin of a ``predict``, so that has no name.
    """

    def __init__(self) -> None:
        """Start outside of every step."""
        self._epoch: int | None = None
        self._evaluated = 0

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A step of the training loop: forward, backward and optimizer follow."""
        # The state's epoch is a fraction, and after the last step already the next one.
        self._epoch = None if state.epoch is None else int(state.epoch)
        steps.step(state.global_step, epoch=self._epoch, phase="train")

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """What follows is an evaluation if the Trainer was told so, else nothing."""
        self._between(control)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """As after a step."""
        self._between(control)

    def on_prediction_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A batch of the evaluation is done; the next one may follow."""
        if steps.current is not None and steps.current.phase == "evaluation":
            self._evaluated += 1
            steps.step(self._evaluated, epoch=self._epoch, phase="evaluation")

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The evaluation is done."""
        steps.forget()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """What follows belongs to no step."""
        steps.forget()

    def _between(self, control: Any) -> None:
        if control.should_evaluate:
            self._evaluated = 0
            steps.step(0, epoch=self._epoch, phase="evaluation")
        else:
            steps.forget()
