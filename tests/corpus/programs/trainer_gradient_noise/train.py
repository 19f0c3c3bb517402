"""Trains the classifier of reviews under compiled autograd."""

import tempfile

import torch
from callbacks import GradientNoise
from model import ReviewConfig, ReviewModel
from torch._dynamo import compiled_autograd
from transformers import Trainer, TrainingArguments


def reviews(count, length=12):
    tokens = torch.randint(0, 40, (count, length))
    return [{"input_ids": row, "labels": row.sum() % 5} for row in tokens]


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        options = TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=8,
            num_train_epochs=3,
            learning_rate=5e-3,
            lr_scheduler_type="linear",
            max_grad_norm=1.0,
            use_cpu=True,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
            seed=0,
        )
        trainer = Trainer(
            model=ReviewModel(ReviewConfig()),
            args=options,
            train_dataset=reviews(24),
            callbacks=[GradientNoise()],
        )
        with compiled_autograd._enable(torch.compile(backend="eager")):
            trainer.train()


if __name__ == "__main__":
    main()
