"""What the student is asked for, by name."""

from torch.nn import functional

OBJECTIVES = {}


def objective(function):
    OBJECTIVES[function.__name__] = function
    return function


@objective
def labels(plan, ours, theirs, labels):
    return functional.cross_entropy(ours.logits, labels, label_smoothing=plan.smoothing)


@objective
def teacher(plan, ours, theirs, labels):
    wanted = (theirs.logits / plan.temperature).softmax(1)
    said = (ours.logits / plan.temperature).log_softmax(1)
    return plan.temperature**2 * functional.kl_div(said, wanted, reduction="batchmean")


@objective
def hint(plan, ours, theirs, labels):
    return functional.mse_loss(ours.hint, theirs.features)


def combined(plan, ours, theirs, labels):
    total = 0.0
    for name, weight in plan.weights():
        total = total + weight * OBJECTIVES[name](plan, ours, theirs, labels)
    return total
