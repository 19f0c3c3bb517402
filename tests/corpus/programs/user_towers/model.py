"""Two towers, one for users and one for items."""

from torch import nn


class Towers(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.width
        self.users = nn.Embedding(config.users, width)
        self.items = nn.Embedding(config.items, width)
        self.user_head = nn.Linear(width, width)
        self.item_head = nn.Linear(width, width)

    def forward(self, users, items):
        return self.user_head(self.users(users)), self.item_head(self.items(items))
