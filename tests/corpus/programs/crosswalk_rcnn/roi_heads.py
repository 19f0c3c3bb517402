import torch
import torch.nn.functional as F
from events import get_event_storage
from torch import nn


def _log_classification_stats(pred_logits, gt_classes, prefix="fast_rcnn"):
    """How accurate the classes are of what is an object."""
    bg_class_ind = pred_logits.shape[1] - 1
    pred_classes = pred_logits.argmax(dim=1)
    fg = gt_classes != bg_class_ind
    num_fg = fg.sum().clamp(min=1)
    storage = get_event_storage()
    storage.put_scalar(f"{prefix}/cls_accuracy", (pred_classes == gt_classes).float().mean())
    storage.put_scalar(
        f"{prefix}/fg_cls_accuracy", ((pred_classes == gt_classes) & fg).sum() / num_fg
    )


class FastRCNNOutputLayers(nn.Module):
    def __init__(self, input_size, num_classes, smooth_l1_beta=0.5):
        super().__init__()
        self.num_classes, self.smooth_l1_beta = num_classes, smooth_l1_beta
        self.cls_score = nn.Linear(input_size, num_classes + 1)
        self.bbox_pred = nn.Linear(input_size, 4)

    def forward(self, x):
        return self.cls_score(x), self.bbox_pred(x)

    def losses(self, predictions, proposals):
        scores, deltas = predictions
        gt_classes = proposals["gt_classes"]
        return {
            "loss_cls": F.cross_entropy(scores, gt_classes),
            "loss_box_reg": self.box_reg_loss(deltas, proposals["gt_deltas"], gt_classes),
        }

    def box_reg_loss(self, pred_deltas, gt_deltas, gt_classes):
        # only of what is an object
        fg_inds = torch.nonzero(gt_classes < self.num_classes).squeeze(1)
        loss = F.smooth_l1_loss(
            pred_deltas[fg_inds], gt_deltas[fg_inds], beta=self.smooth_l1_beta, reduction="sum"
        )
        return loss / gt_classes.numel()


class StandardROIHeads(nn.Module):
    def __init__(self, pooled=12, fc_dim=24, num_classes=3):
        super().__init__()
        self.box_head = nn.Sequential(nn.Linear(pooled, fc_dim), nn.ReLU())
        self.box_predictor = FastRCNNOutputLayers(fc_dim, num_classes)

    def forward(self, features, proposals):
        predictions = self.box_predictor(self.box_head(features))
        losses = self.box_predictor.losses(predictions, proposals)
        _log_classification_stats(predictions[0], proposals["gt_classes"])
        return losses
