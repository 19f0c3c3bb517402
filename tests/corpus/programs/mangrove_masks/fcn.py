from collections import OrderedDict

from torch import nn


def conv_bn(in_channels, out_channels, stride=1):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
    )


class FCNHead(nn.Sequential):
    def __init__(self, in_channels, channels, stride):
        super().__init__(
            nn.Conv2d(in_channels, in_channels // 2, 3, padding=1, bias=False),
            nn.BatchNorm2d(in_channels // 2),
            nn.ReLU(),
            nn.Conv2d(in_channels // 2, channels, 1),
            nn.ConvTranspose2d(channels, channels, stride, stride),
        )


class FCN(nn.Module):
    def __init__(self, num_classes, width=8, aux_loss=True):
        super().__init__()
        self.stem = conv_bn(3, width, 2)
        self.layer3 = conv_bn(width, 2 * width)
        self.layer4 = conv_bn(2 * width, 2 * width, 2)
        self.classifier = FCNHead(2 * width, num_classes, 4)
        self.aux_classifier = FCNHead(2 * width, num_classes, 2) if aux_loss else None

    def forward(self, x):
        features = self.layer3(self.stem(x))
        result = OrderedDict()
        result["out"] = self.classifier(self.layer4(features))
        if self.aux_classifier is not None:
            result["aux"] = self.aux_classifier(features)
        return result
