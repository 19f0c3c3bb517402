import torch
from registry import register_criterion


@register_criterion("label_smoothed_cross_entropy")
class LabelSmoothedCrossEntropy:
    def __init__(self, eps, padding_idx=0):
        self.eps, self.padding_idx = eps, padding_idx

    def __call__(self, model, sample):
        net_output = model(**sample["net_input"])
        loss, nll_loss = self.compute_loss(net_output, sample["target"])
        logging_output = {
            "loss": loss.detach(),
            "nll_loss": nll_loss.detach(),
            "ntokens": sample["ntokens"],
        }
        return loss, sample["ntokens"], logging_output

    def compute_loss(self, net_output, target):
        lprobs = torch.log_softmax(net_output.float(), dim=-1)
        kept = target.ne(self.padding_idx).unsqueeze(-1)
        nll_loss = -(lprobs.gather(-1, target.unsqueeze(-1)) * kept).sum()
        smooth_loss = -(lprobs * kept).sum()
        eps_i = self.eps / (lprobs.size(-1) - 1)
        return (1.0 - self.eps - eps_i) * nll_loss + eps_i * smooth_loss, nll_loss
