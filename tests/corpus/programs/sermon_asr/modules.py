import torch
import torch.nn as nn
import torch.nn.functional as F


class GradMultiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.scale, None


class ConvFeatureExtraction(nn.Module):
    def __init__(self, dim, layers=((5, 4), (3, 2))):
        super().__init__()
        cin, self.convs = 1, nn.ModuleList()
        for kernel, stride in layers:
            self.convs.append(nn.Conv1d(cin, dim, kernel, stride, bias=False))
            cin = dim
        self.layer_norm = nn.LayerNorm(dim)

    def forward(self, wav):
        x = wav.unsqueeze(1)
        for conv in self.convs:
            x = F.gelu(conv(x))
        return self.layer_norm(x.transpose(1, 2))


class EncoderLayer(nn.Module):
    def __init__(self, dim, dropout):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1, groups=dim)
        self.fc1, self.fc2 = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)
        self.dropout = dropout

    def forward(self, x):
        residual = x
        x = self.mix(self.norm(x).transpose(1, 2)).transpose(1, 2)
        x = F.relu(self.fc1(x))
        x = F.dropout(self.fc2(x), p=self.dropout, training=self.training)
        return residual + x
