from torch import nn


class TDNN(nn.Module):
    def __init__(self, feats, dim, phones):
        super().__init__()
        self.conv1 = nn.Conv1d(feats, dim, 3, padding=1)
        self.conv2 = nn.Conv1d(dim, dim, 3, padding=1, stride=2)
        self.out = nn.Linear(dim, phones)

    def forward(self, feats):
        x = self.conv1(feats.transpose(1, 2)).relu()
        x = self.conv2(x).relu()
        return self.out(x.transpose(1, 2)).log_softmax(-1)
