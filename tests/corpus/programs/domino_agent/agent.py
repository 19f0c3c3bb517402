import torch
from table import TILES
from torch import nn


class TileValue(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.frame = nn.Linear(len(TILES) + 14, width)
        self.tile = nn.Embedding(len(TILES), width)

    def forward(self, frames):
        state = torch.zeros(self.frame.out_features)
        for frame in frames:
            state = torch.tanh(self.frame(frame) + 0.5 * state)
        return self.tile.weight @ state


class Agent:
    def __init__(self, lr=5e-3, start=2.0, end=0.3, games=6):
        self.value = TileValue()
        self.optimizer = torch.optim.Adam(self.value.parameters(), lr=lr)
        self.start, self.end, self.games = start, end, games
        self.game = 0
        self.choose = torch.compile(self.choose, backend="aot_eager")

    @property
    def temperature(self):
        return self.start * (self.end / self.start) ** (self.game / (self.games - 1))

    def choose(self, frames, allowed, temperature):
        scores = self.value(frames) / temperature
        return scores.masked_fill(~allowed, float("-inf")).log_softmax(-1)

    def act(self, frames, legal):
        allowed = torch.zeros(len(TILES), dtype=torch.bool)
        allowed[legal] = True
        logp = self.choose(frames, allowed, self.temperature)
        tile = torch.multinomial(logp.detach().exp(), 1).item()
        return tile, logp[tile]

    def learn(self, logps, rewards):
        returns = torch.tensor(rewards, dtype=torch.float32).flip(0).cumsum(0).flip(0)
        advantage = (returns - returns.mean()) / (returns.std() + 1e-5)
        loss = -(torch.stack(logps) * advantage).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.game += 1
        return loss.item()
