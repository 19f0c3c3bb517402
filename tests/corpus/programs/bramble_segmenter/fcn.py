from collections import OrderedDict

import torch.nn as nn


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU()
    )


class Backbone(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = conv_bn(3, width)
        self.layer1 = conv_bn(width, width, 2)
        self.layer2 = conv_bn(width, 2 * width, 2)

    def forward(self, x):
        aux = self.layer1(self.stem(x))
        return OrderedDict(out=self.layer2(aux), aux=aux)


class FCNHead(nn.Sequential):
    def __init__(self, channels, num_classes, scale):
        super().__init__(
            conv_bn(channels, channels),
            nn.Conv2d(channels, num_classes * scale**2, 1),
            nn.PixelShuffle(scale),
        )


class FCN(nn.Module):
    def __init__(self, num_classes, width=8, aux_loss=True):
        super().__init__()
        self.backbone = Backbone(width)
        self.classifier = FCNHead(2 * width, num_classes, 4)
        self.aux_classifier = FCNHead(width, num_classes, 2) if aux_loss else None

    def forward(self, x):
        features = self.backbone(x)
        result = OrderedDict()
        result["out"] = self.classifier(features["out"])
        if self.aux_classifier is not None:
            result["aux"] = self.aux_classifier(features["aux"])
        return result


def freeze_batch_norm(module):
    for m in module.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.eval()
