"""Meta-trains the prototypical network over episodes."""

import torch
from episodes import EpisodeSampler
from protonet import ProtoNet
from torch.nn import functional


def accuracy(logits, labels):
    return (logits.argmax(-1) == labels).float().mean()


def main(rounds=2):
    torch.manual_seed(0)
    net = ProtoNet()
    predict = torch.compile(net, backend="eager", dynamic=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    accuracies = []
    for _ in range(rounds):
        for episode in EpisodeSampler():
            logits = predict(episode.support, episode.support_labels, episode.query)
            loss = functional.cross_entropy(logits, episode.query_labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            accuracies.append(accuracy(logits.detach(), episode.query_labels))
    return torch.stack(accuracies).mean()


if __name__ == "__main__":
    main()
