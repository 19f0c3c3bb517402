"""A Trainer that trusts the labels more and more."""

from torch.nn.functional import cross_entropy
from transformers import Trainer


class SmoothedTrainer(Trainer):
    @property
    def smoothing(self):
        return max(0.0, 0.15 - 0.05 * int(self.state.epoch or 0))

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = cross_entropy(outputs.logits, labels, label_smoothing=self.smoothing)
        return (loss, outputs) if return_outputs else loss
