from torch import nn


class ConvNorm(nn.Sequential):
    def __init__(self, in_chs, out_chs, stride=1, groups=1):
        super().__init__(
            nn.Conv2d(in_chs, out_chs, 3, stride, 1, groups=groups, bias=False),
            nn.BatchNorm2d(out_chs),
            nn.SiLU(),
        )


class DepthwiseSeparable(nn.Module):
    def __init__(self, in_chs, out_chs, stride=1, drop=0.0):
        super().__init__()
        self.has_skip = stride == 1 and in_chs == out_chs
        self.conv_dw = ConvNorm(in_chs, in_chs, stride, groups=in_chs)
        self.conv_pw = nn.Conv2d(in_chs, out_chs, 1)
        self.drop = nn.Dropout2d(drop)

    def forward(self, x):
        y = self.drop(self.conv_pw(self.conv_dw(x)))
        return x + y if self.has_skip else y


class OakNet(nn.Module):
    def __init__(self, num_classes=6, widths=(8, 16), drop=0.1):
        super().__init__()
        self.conv_stem = ConvNorm(3, widths[0], 2)
        chs, blocks = widths[0], []
        for width in widths:
            blocks.append(DepthwiseSeparable(chs, width, 2 if width != chs else 1, drop))
            chs = width
        self.blocks = nn.Sequential(*blocks)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(chs, num_classes)

    def forward_features(self, x):
        return self.blocks(self.conv_stem(x))

    def forward(self, x):
        return self.classifier(self.pool(self.forward_features(x)).flatten(1))
