from model import stages
from transformers import TrainerCallback


class PrintCallback(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        accuracy = metrics["eval_accuracy"]
        print(f"epoch {state.epoch:.0f} step {state.global_step} accuracy {accuracy:.3f}")


class ThawCallback(TrainerCallback):
    """Train the head first, and one group of parameters more with each epoch."""

    def __init__(self, verbose=False):
        self.verbose = verbose

    def on_epoch_begin(self, args, state, control, model=None, **kwargs):
        epoch = int(state.epoch or 0)
        for depth, group in enumerate(stages(model)):
            for p in group:
                p.requires_grad = depth <= epoch
        if self.verbose:
            n = sum(p.numel() for p in model.parameters() if p.requires_grad)
            print(f"epoch {epoch}: {n} parameters are trained")
