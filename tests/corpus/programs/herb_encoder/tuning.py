"""Discriminative fine-tuning: the deeper the layer, the later it learns."""

import torch


def parameter_groups(model, args):
    depth = len(model.layers)
    groups = [{"params": list(model.classifier.parameters()), "lr": args.learning_rate}]
    for index, layer in enumerate(model.layers):
        rate = args.learning_rate * args.layer_decay ** (depth - index)
        groups.append({"params": list(layer.parameters()), "lr": rate})
    return groups


def thaw(model, epoch):
    """The top layer learns from the second epoch on, the one below it from the third."""
    for parameter in (*model.embeddings.parameters(), *model.positions.parameters()):
        parameter.requires_grad = False
    depth = len(model.layers)
    for index, layer in enumerate(model.layers):
        for parameter in layer.parameters():
            parameter.requires_grad = index >= depth - epoch


def herb_notes(config, count, length, seed):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, config.vocab_size, (count, length), generator=generator)
    lengths = torch.randint(length // 2, length + 1, (count,), generator=generator)
    mask = (torch.arange(length) < lengths[:, None]).float()
    ids = torch.where(mask.bool(), ids, 0)
    return ids, mask, ids[:, 1] % config.num_labels
