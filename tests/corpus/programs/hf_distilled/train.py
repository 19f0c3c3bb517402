"""Distils with a Transformers trainer."""

import tempfile

import torch
from corpus import DistillCollator, Sequences
from student import Student, StudentConfig
from transformers import Trainer, TrainingArguments


def arguments(folder):
    return TrainingArguments(
        output_dir=folder,
        per_device_train_batch_size=6,
        num_train_epochs=2,
        learning_rate=1e-3,
        lr_scheduler_type="cosine",
        torch_compile=True,
        torch_compile_backend="eager",
        use_cpu=True,
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        remove_unused_columns=False,
        seed=0,
    )


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=Student(StudentConfig()),
            args=arguments(folder),
            train_dataset=Sequences(28),
            data_collator=DistillCollator(),
        )
        trainer.train()


if __name__ == "__main__":
    main()
