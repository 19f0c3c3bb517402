import torch
from config import Config
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.mix = nn.Linear(cfg.features * cfg.window, cfg.hidden)

    def forward(self, past: Tensor) -> Tensor:
        return torch.tanh(self.mix(past.flatten(1)))


class Decoder(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cell = nn.Linear(cfg.hidden + 1, 2 * cfg.hidden)
        self.out = nn.Linear(cfg.hidden, 1)

    def forward(self, state: Tensor, level: Tensor) -> tuple[Tensor, Tensor]:
        new, gate = self.cell(torch.cat([state, level], dim=-1)).chunk(2, dim=-1)
        state = torch.lerp(state, new.tanh(), gate.sigmoid())
        return state, level + self.out(state)


class Seq2Seq(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.encoder, self.decoder = Encoder(cfg), Decoder(cfg)

    def forward(self, past: Tensor, future: Tensor, horizon: int, forced: bool) -> Tensor:
        state, level = self.encoder(past), past[:, -1, :1]
        levels = []
        for t in range(horizon):
            state, level = self.decoder(state, level)
            levels.append(level)
            if forced:
                level = future[:, t : t + 1]
        return torch.cat(levels, dim=1)
