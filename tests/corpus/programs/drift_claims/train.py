import logging

import torch
from learner import Learner, Options
from net import ClaimNet
from stream import CARDINALITIES, CLASSES_PER_QUARTER, NUMERIC, quarters
from torch._dynamo import compiled_autograd

QUARTERS = 3


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(17)
    options = Options()
    net = ClaimNet(CARDINALITIES, NUMERIC, CLASSES_PER_QUARTER * QUARTERS)
    learner = Learner(net, options)
    past = []
    with compiled_autograd._enable(torch.compile(backend=options.backend)):
        for quarter in quarters(QUARTERS):
            learner.learn(quarter)
            past.append(quarter)
            print([round(learner.accuracy(each), 2) for each in past])


if __name__ == "__main__":
    main()
