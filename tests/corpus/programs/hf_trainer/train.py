"""A Transformers Trainer with torch_compile=True."""

import tempfile

from data import Sentences, collate
from model import Classifier
from transformers import Trainer, TrainingArguments


def main():
    options = TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=4,
        num_train_epochs=1,
        torch_compile=True,
        torch_compile_backend="eager",
        use_cpu=True,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        seed=3,
    )
    trainer = Trainer(Classifier(), options, train_dataset=Sentences(26), data_collator=collate)
    trainer.train()


if __name__ == "__main__":
    main()
