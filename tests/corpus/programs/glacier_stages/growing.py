from torch import nn


class Growing(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Linear(width, width)
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        return self.head(self.stem(x).relu())

    def grow(self, classes):
        self.head = nn.Linear(self.head.in_features, classes)
