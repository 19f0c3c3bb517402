"""Translate hymns: one process, gradients gathered over several batches."""

import logging

import torch
from criterions import CRITERIA
from hymns import VersePairs
from options import get_parser
from transformer import TransformerModel

logging.basicConfig(format="%(levelname)s | %(message)s", level=logging.INFO)
logger = logging.getLogger("hymns.train")
torch._dynamo.config.compiled_autograd = True


class Trainer:
    def __init__(self, args, task):
        self.args = args
        self.model = TransformerModel(args, task.vocabulary)
        self.criterion = CRITERIA["label_smoothed_cross_entropy"](args)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr, betas=(0.9, 0.98))
        self.compiled_step = torch.compile(self.forward_backward, backend="eager")
        self.num_updates = 0

    def lr_step_update(self):
        warmup = self.args.warmup_updates
        factor = min((self.num_updates + 1) / warmup, (warmup / (self.num_updates + 1)) ** 0.5)
        for group in self.optimizer.param_groups:
            group["lr"] = self.args.lr * factor

    def forward_backward(self, sample):
        loss, nll = self.criterion(self.model, sample)
        loss.backward()
        return nll.detach()

    def train_step(self, samples):
        self.model.train()
        self.optimizer.zero_grad()
        total = torch.zeros(())
        for sample in samples:
            total += self.compiled_step(sample)
        for parameter in self.model.parameters():
            parameter.grad.div_(len(samples))
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip_norm)
        self.lr_step_update()
        self.optimizer.step()
        self.num_updates += 1
        return total / len(samples)


def grouped(iterator, size):
    chunk = []
    for sample in iterator:
        chunk.append(sample)
        if len(chunk) == size:
            yield chunk
            chunk = []


def main():
    args = get_parser().parse_args()
    torch.manual_seed(1)
    task = VersePairs()
    trainer = Trainer(args, task)
    for epoch in range(1, args.max_epoch + 1):
        trainer.criterion.set_epoch(epoch)
        iterator = grouped(task.epoch_iterator(8, epoch), args.update_freq)
        losses = [trainer.train_step(samples) for samples in iterator]
        nll = torch.stack(losses).mean()
        logger.info("epoch %d | nll %.3f | updates %d", epoch, nll, trainer.num_updates)


if __name__ == "__main__":
    main()
