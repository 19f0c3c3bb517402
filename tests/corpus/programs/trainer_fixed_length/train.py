"""Trains the encoder of pairs with a Trainer."""

import tempfile

from encoder import PairConfig, PairModel
from questions import Questions, collate
from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed


class LossHistory(TrainerCallback):
    def __init__(self):
        self.losses = []

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            self.losses.append(logs["loss"])


def accuracy(prediction):
    right = (prediction.predictions > 0) == (prediction.label_ids > 0.5)
    return {"accuracy": right.mean().item()}


def main():
    set_seed(0)
    history = LossHistory()
    with tempfile.TemporaryDirectory() as folder:
        options = TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=8,
            per_device_eval_batch_size=8,
            dataloader_drop_last=True,
            gradient_accumulation_steps=2,
            num_train_epochs=3,
            learning_rate=3e-3,
            lr_scheduler_type="cosine",
            warmup_steps=2,
            eval_strategy="epoch",
            logging_steps=2,
            label_names=["labels"],
            torch_compile=True,
            torch_compile_backend="eager",
            use_cpu=True,
            report_to=[],
            save_strategy="no",
            disable_tqdm=True,
        )
        trainer = Trainer(
            model=PairModel(PairConfig()),
            args=options,
            train_dataset=Questions(36),
            eval_dataset=Questions(16, seed=1),
            data_collator=collate,
            compute_metrics=accuracy,
            callbacks=[history],
        )
        trainer.train()
    print(len(history.losses))


if __name__ == "__main__":
    main()
