"""Few-shot recognition of buttons."""

import torch
from episodes import Buttons, EpisodeSampler
from learner import Learner
from protonet import Embedding, ProtoNet

CFG = {
    "seed": 4,
    "updates": 8,
    "episodes_per_update": 3,
    "lr": 0.05,
    "anneal": "cosine",
    "evaluate_every": 4,
    "train": {"way": 4, "shot": 3, "query": 5},
    "test": {"way": 3, "shot": 1, "query": 4},
}


def main(cfg):
    torch.manual_seed(cfg["seed"])
    net = ProtoNet(Embedding().freeze_stem())
    learner = Learner(net, cfg)
    train = EpisodeSampler(Buttons(seed=0), seed=1, **cfg["train"])
    for number in range(cfg["updates"]):
        loss = learner.update(train, number)
        print(f"update {number}: loss {loss:.3f} temperature {net.temperature.item():.2f}")
        if (number + 1) % cfg["evaluate_every"] == 0:
            test = EpisodeSampler(Buttons(seed=9), seed=2, **cfg["test"])
            print(f"  accuracy {learner.accuracy(test, 5):.2f} ± few episodes")


if __name__ == "__main__":
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        main(CFG)
