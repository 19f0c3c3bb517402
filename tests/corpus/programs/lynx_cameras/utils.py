from collections import defaultdict


class Meters:
    def __init__(self, delimiter="\t"):
        self.delimiter = delimiter
        self.total = defaultdict(float)
        self.count = 0

    def update(self, n, **values):
        self.count += n
        for name, value in values.items():
            self.total[name] += value * n

    def __getitem__(self, name):
        return self.total[name] / max(self.count, 1)

    def __str__(self):
        return self.delimiter.join(f"{name}: {self[name]:.3f}" for name in self.total)


def accuracy(output, target):
    return 100.0 * (output.argmax(1) == target).float().mean().item()


def set_trainable(module, flag):
    for parameter in module.parameters():
        parameter.requires_grad_(flag)


def set_weight_decay(model, weight_decay, norm_weight_decay):
    norms, others = [], []
    for name, parameter in model.named_parameters():
        (norms if ".bn" in name or name.endswith("bias") else others).append(parameter)
    return [
        {"params": others, "weight_decay": weight_decay},
        {"params": norms, "weight_decay": norm_weight_decay},
    ]
