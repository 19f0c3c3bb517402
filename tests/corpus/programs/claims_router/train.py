import logging
from functools import partial

import torch
from config import parse_args
from data import pad_collate, synthetic_claims
from model import GatedRouter
from torch.utils.data import DataLoader

logger = logging.getLogger("router")


class TauSchedule:
    def __init__(self, start, end, steps):
        self.start, self.end, self.steps = start, end, steps
        self.step_count = 0

    def step(self):
        share = min(1.0, self.step_count / self.steps)
        self.step_count += 1
        return self.start + share * (self.end - self.start)


def main():
    args = parse_args()
    torch.manual_seed(21)
    loader = DataLoader(
        synthetic_claims(65),
        batch_size=args.batch_size,
        shuffle=True,
        drop_last=True,
        collate_fn=partial(pad_collate, max_tokens=args.max_tokens),
    )
    model = GatedRouter()
    compiled = torch.compile(model, backend=args.backend)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    schedule = TauSchedule(args.tau_start, args.tau_end, args.epochs * len(loader))
    for epoch in range(args.epochs):
        for batch in loader:
            model.set_tau(schedule.step())
            out = compiled(**batch)
            out["loss"].backward()
            if int(model.seen) % 2 == 0:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        load = ", ".join(f"{share:.2f}" for share in out["load"].tolist())
        logger.info("epoch %d tau %.2f load %s", epoch, model.tau.item(), load)
        print(f"{epoch} {out['loss'].item():.3f}")


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main()
