"""Trains by the Trainer, with an evaluation after each epoch."""

import tempfile

from config import SmallClassifier, SmallConfig
from data import Sentences
from transformers import Trainer, TrainerCallback, TrainingArguments


class KeepLosses(TrainerCallback):
    def __init__(self):
        self.losses = []

    def on_log(self, arguments, state, control, logs=None, **options):
        self.losses += [logs["loss"]] if "loss" in logs else []


def main():
    options = TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=4,
        per_device_eval_batch_size=4,
        num_train_epochs=2,
        logging_steps=2,
        eval_strategy="epoch",
        dataloader_drop_last=True,
        torch_compile=True,
        torch_compile_backend="eager",
        warmup_steps=2,
        use_cpu=True,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        seed=1,
    )
    trainer = Trainer(
        SmallClassifier(SmallConfig()),
        options,
        train_dataset=Sentences(18),
        eval_dataset=Sentences(8, seed=1),
        callbacks=[KeepLosses()],
    )
    trainer.train()


if __name__ == "__main__":
    main()
