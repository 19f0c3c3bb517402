"""Content, style and smoothness."""

import torch
import torch.nn.functional as F

STYLE_WEIGHT = 1.0


def gram_matrix(features):
    b, c, h, w = features.shape
    flat = features.view(b, c, h * w)
    return flat @ flat.transpose(1, 2) / (c * h * w)


def total_variation(image):
    dy = image[..., 1:, :] - image[..., :-1, :]
    dx = image[..., :, 1:] - image[..., :, :-1]
    return dy.abs().mean() + dx.abs().mean()


def set_style_weight(value):
    global STYLE_WEIGHT
    STYLE_WEIGHT = value


def stylize_loss(features, content, style, image, tv_weight):
    content_loss = F.mse_loss(features[-1], content[-1])
    style_loss = torch.zeros(())
    for feature, wanted in zip(features, style, strict=True):
        style_loss = style_loss + F.mse_loss(gram_matrix(feature), wanted)
    smooth = total_variation(image)
    return content_loss + STYLE_WEIGHT * style_loss + tv_weight * smooth
