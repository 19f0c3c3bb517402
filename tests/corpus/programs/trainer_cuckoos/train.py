"""Fine-tune an audio spectrogram transformer on the calls of birds."""

import argparse
import tempfile

import numpy as np
import torch
from callbacks import PrintCallback, ThawCallback
from data import Calls, collate
from model import build_model
from torch._dynamo import compiled_autograd
from transformers import Trainer, TrainingArguments, set_seed


class CompiledBackwardTrainer(Trainer):
    """Computes the loss with class weights, and compiles the backward."""

    def __init__(self, *args, class_weights=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.class_weights = class_weights
        self.backward_compiler = torch.compile(backend="eager")

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(input_values=inputs["input_values"])
        loss = torch.nn.functional.cross_entropy(
            outputs.logits, inputs["labels"], weight=self.class_weights, label_smoothing=0.05
        )
        return (loss, outputs) if return_outputs else loss

    def training_step(self, *args, **kwargs):
        with compiled_autograd._enable(self.backward_compiler):
            return super().training_step(*args, **kwargs)


def compute_metrics(prediction):
    guess = np.argmax(prediction.predictions, axis=-1)
    return {"accuracy": float((guess == prediction.label_ids).mean())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning_rate", type=float, default=3e-3)
    parser.add_argument("--num_train_epochs", type=int, default=2)
    parser.add_argument("--per_device_train_batch_size", type=int, default=8)
    parser.add_argument("--n_train", type=int, default=20)
    options = parser.parse_args()
    set_seed(42)
    train_set, eval_set = Calls(options.n_train, augment=True), Calls(18, seed=1)
    counts = torch.bincount(train_set.labels, minlength=3).float()
    with tempfile.TemporaryDirectory() as output_dir:
        arguments = TrainingArguments(
            output_dir=output_dir,
            learning_rate=options.learning_rate,
            num_train_epochs=options.num_train_epochs,
            per_device_train_batch_size=options.per_device_train_batch_size,
            per_device_eval_batch_size=8,
            lr_scheduler_type="cosine",
            warmup_steps=2,
            eval_strategy="epoch",
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
        )
        trainer = CompiledBackwardTrainer(
            model=build_model(),
            args=arguments,
            train_dataset=train_set,
            eval_dataset=eval_set,
            data_collator=collate,
            compute_metrics=compute_metrics,
            callbacks=[PrintCallback(), ThawCallback(verbose=True)],
            class_weights=counts.sum() / (3 * counts),
        )
        trainer.train()


if __name__ == "__main__":
    main()
