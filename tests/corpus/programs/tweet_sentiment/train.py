"""Fine-tune the sentiment model with the Trainer, compiled."""

import tempfile

from modeling import SentimentConfig, SentimentModel
from transformers import Trainer, TrainingArguments, set_seed
from tweets import Tweets


def main():
    set_seed(13)
    model = SentimentModel(SentimentConfig())
    args = TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=8,
        num_train_epochs=2,
        learning_rate=5e-4,
        warmup_steps=2,
        lr_scheduler_type="cosine",
        torch_compile=True,
        torch_compile_backend="eager",
        use_cpu=True,
        save_strategy="no",
        logging_steps=4,
        report_to=[],
        disable_tqdm=True,
    )
    trainer = Trainer(model=model, args=args, train_dataset=Tweets(44))
    result = trainer.train()
    print(f"training loss {result.training_loss:.3f}")


if __name__ == "__main__":
    main()
