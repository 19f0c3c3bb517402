"""Train a prototypical network on episodes of 3 to 6 glyphs."""

import torch
import torch.nn.functional as F
from episodes import EpisodeSampler
from protonet import ProtoNet


def main(episodes=12):
    torch.manual_seed(0)
    sampler = EpisodeSampler()
    model = ProtoNet()
    compiled = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5)
    accuracy = 0.0
    for episode in range(episodes):
        support, query, labels = sampler.sample()
        logits = compiled(support, query)
        loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        accuracy += (logits.argmax(-1) == labels).float().mean().item()
        if (episode + 1) % 4 == 0:
            print(f"episode {episode + 1}: accuracy {accuracy / (episode + 1):.2f}")


if __name__ == "__main__":
    main()
