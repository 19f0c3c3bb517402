# Minimal version of our offer ranker. Every season some offers are retired; their vectors have to
# stay as they are (they are still served from the archive), the others keep learning.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._dynamo import compiled_autograd

N_PLAYERS, N_OFFERS, DIM = 50, 40, 16
SEASONS, BATCHES, BATCH_SIZE, NEGATIVES = 6, 4, 32, 5


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.players = nn.Embedding(N_PLAYERS, DIM)
        self.offers = nn.Embedding(N_OFFERS, DIM)
        self.bias = nn.Parameter(torch.zeros(N_OFFERS))

    def forward(self, player, offers):
        scores = torch.einsum("bd,bnd->bn", self.players(player), self.offers(offers))
        return scores + self.bias[offers]


def sample(rng):
    player = rng.integers(0, N_PLAYERS, BATCH_SIZE)
    bought = (player * 7 + rng.integers(0, 3, BATCH_SIZE)) % N_OFFERS
    others = rng.integers(0, N_OFFERS, (BATCH_SIZE, NEGATIVES))
    offers = np.concatenate([bought[:, None], others], axis=1)
    return torch.from_numpy(player), torch.from_numpy(offers)


def season(model, optimizer, rng, retired):
    active = torch.ones(N_OFFERS, 1)
    active[retired] = 0
    model.offers.weight.register_hook(lambda grad: grad * active)
    total = 0.0
    for _ in range(BATCHES):
        player, offers = sample(rng)
        scores = model(player, offers)
        loss = F.softplus(scores[:, 1:] - scores[:, :1]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / BATCHES


def main():
    torch.manual_seed(3)
    rng = np.random.default_rng(3)
    model = Ranker()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    retired = []
    with compiled_autograd._enable(torch.compile(backend="aot_eager")):
        for number in range(SEASONS):
            retired += rng.choice(N_OFFERS, 2, replace=False).tolist()
            loss = season(model, optimizer, rng, retired)
            print(f"season {number}: loss {loss:.4f}, {len(set(retired))} retired")


if __name__ == "__main__":
    main()
