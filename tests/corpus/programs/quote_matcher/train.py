"""Match quotes with their sources, without the Trainer."""

import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from modeling import QuoteMatcher
from quotes import DataCollator, QuoteDataset
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup


def parse_args():
    parser = argparse.ArgumentParser(description="Finetune on a matching task")
    parser.add_argument("--per_device_train_batch_size", type=int, default=8)
    parser.add_argument("--learning_rate", type=float, default=2e-3)
    parser.add_argument("--num_train_epochs", type=int, default=2)
    parser.add_argument("--num_warmup_steps", type=int, default=3)
    parser.add_argument("--probe_every", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


def spread(hidden_states):
    """How far the states of each layer are from their mean."""
    return [round(states.detach().std(dim=1).mean().item(), 3) for states in hidden_states]


def main():
    args = parse_args()
    set_seed(args.seed)
    accelerator = Accelerator(cpu=True)
    train_dataset = QuoteDataset(72, seed=args.seed)
    train_dataloader = DataLoader(
        train_dataset,
        shuffle=False,
        collate_fn=DataCollator(),
        batch_size=args.per_device_train_batch_size,
    )
    model = QuoteMatcher()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
    total = args.num_train_epochs * len(train_dataloader)
    lr_scheduler = get_linear_schedule_with_warmup(optimizer, args.num_warmup_steps, total)
    model, optimizer, train_dataloader, lr_scheduler = accelerator.prepare(
        model, optimizer, train_dataloader, lr_scheduler
    )
    model = torch.compile(model, backend="eager")
    completed_steps = 0
    for epoch in range(args.num_train_epochs):
        model.train()
        total_loss = torch.zeros(())
        for batch in train_dataloader:
            probing = completed_steps % args.probe_every == 0
            outputs = model(**batch, output_hidden_states=probing)
            total_loss += outputs.loss.detach()
            accelerator.backward(outputs.loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
            completed_steps += 1
            if probing:
                accelerator.print(f"step {completed_steps}: {spread(outputs.hidden_states)}")
        accelerator.print(f"epoch {epoch}: {total_loss.item() / len(train_dataloader):.4f}")


if __name__ == "__main__":
    main()
