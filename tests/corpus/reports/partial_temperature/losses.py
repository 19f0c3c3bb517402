import torch.nn.functional as F


def distill(student, teacher, temperature, weight):
    soft = F.kl_div(
        F.log_softmax(student / temperature, -1), F.softmax(teacher / temperature, -1), reduction="batchmean"
    )
    return weight * temperature ** 2 * soft
