"""Trains the lifter with little memory: updates happen within the backward."""

import torch
from lifter import build_lifter
from memory import update_in_backward
from stream import loader

JOINTS = 7


def bone_error(predicted, space):
    return (predicted.view_as(space) - space).norm(dim=-1).mean()


def main():
    torch.manual_seed(0)
    model = build_lifter(JOINTS)
    update_in_backward(model, lambda group: torch.optim.SGD(group, lr=0.01, momentum=0.9))
    for batch in loader(JOINTS, batches=6):
        bone_error(model(batch["image"]), batch["space"]).backward()


if __name__ == "__main__":
    main()
