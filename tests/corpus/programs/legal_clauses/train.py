"""Learns which clauses mean the same."""

import logging

import torch
from corpus import pairs
from encoder import DualEncoder, symmetric
from torch._dynamo import compiled_autograd

logger = logging.getLogger(__name__)


def recall(scores):
    return (scores.argmax(1) == torch.arange(len(scores))).float().mean().item()


def main(steps=9):
    logging.basicConfig(level=logging.WARNING)
    torch.manual_seed(0)
    model = DualEncoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, (clauses, counterparts) in enumerate(pairs(steps)):
            scores = model(clauses, counterparts)
            loss = 0.5 * symmetric(scores)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                model.log_scale.clamp_(max=3.0)
            logger.info("step %d: %.3f, %.2f", step, loss.item(), recall(scores))


if __name__ == "__main__":
    main()
