"""Trains the tagger of intents with a Trainer."""

import tempfile

import torch
from schedules import LinearForgetting
from tagger import IntentConfig, IntentModel
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed


class Utterances(Dataset):
    def __init__(self, count, length=10):
        self.words = torch.randint(0, 60, (count, length))

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        words = self.words[index]
        return {"input_ids": words, "labels": words[0] % 6}


def arguments(folder):
    return TrainingArguments(
        output_dir=folder,
        per_device_train_batch_size=8,
        num_train_epochs=2,
        learning_rate=2e-3,
        warmup_steps=2,
        torch_compile=True,
        torch_compile_backend="eager",
        use_cpu=True,
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
    )


def main():
    set_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=IntentModel(IntentConfig()),
            args=arguments(folder),
            train_dataset=Utterances(30),
            callbacks=[LinearForgetting()],
        )
        trainer.train()


if __name__ == "__main__":
    main()
