from collections import OrderedDict

import torch.nn.functional as F
from torch import nn


class Backbone(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer3 = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU()
        )
        self.layer4 = nn.Sequential(
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
            nn.BatchNorm2d(2 * width),
            nn.ReLU(),
        )

    def forward(self, x):
        aux = self.layer3(x)
        return OrderedDict(out=self.layer4(aux), aux=aux)


class SimpleSegmentationModel(nn.Module):
    def __init__(self, width=8, num_classes=3, aux_loss=True):
        super().__init__()
        self.backbone = Backbone(width)
        self.classifier = nn.Conv2d(2 * width, num_classes, 1)
        self.aux_classifier = nn.Conv2d(width, num_classes, 1) if aux_loss else None

    def forward(self, x):
        input_shape = x.shape[-2:]
        features = self.backbone(x)
        result = OrderedDict()
        x = self.classifier(features["out"])
        result["out"] = F.interpolate(x, size=input_shape, mode="bilinear", align_corners=False)
        if self.aux_classifier is not None:
            x = self.aux_classifier(features["aux"])
            result["aux"] = F.interpolate(x, size=input_shape, mode="bilinear", align_corners=False)
        return result
