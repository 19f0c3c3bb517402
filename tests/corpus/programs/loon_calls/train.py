#!/usr/bin/env python3
"""Recipe for telling the calls of loons apart."""

import torch
from augment import calls, mask_frames
from encoder import Encoder
from hparams import hparams


class LoonBrain:
    def __init__(self, modules, opt_class, hparams):
        self.modules = torch.nn.ModuleDict(modules)
        self.hparams = hparams
        self.optimizer = opt_class(self.modules.parameters())
        self.step = 0

    def compute_forward(self, feats, stage):
        if stage == "TRAIN":
            feats = mask_frames(feats, self.hparams["mask_frames"])
        encoded = self.modules["encoder"](feats)
        return self.modules["output"](encoded.mean(1)).log_softmax(-1)

    def compute_objectives(self, predictions, kind):
        return torch.nn.functional.nll_loss(predictions, kind)

    def fit_batch(self, batch):
        feats, kind = batch
        loss = self.compute_objectives(self.compute_forward(feats, "TRAIN"), kind)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.modules.parameters(), 5.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)
        self.step += 1
        return loss.detach()

    @torch.no_grad()
    def evaluate_batch(self, batch):
        predictions = self.compute_forward(batch[0], "VALID")
        return predictions.argmax(-1).eq(batch[1]).float().mean()

    def fit(self, train_set, valid_set):
        for parameter in self.modules.parameters():
            parameter.grad = torch.zeros_like(parameter)
        for epoch in range(self.hparams["number_of_epochs"]):
            self.modules.train()
            losses = torch.stack([self.fit_batch(batch) for batch in train_set])
            self.modules.eval()
            accuracy = torch.stack([self.evaluate_batch(batch) for batch in valid_set]).mean()
            print(f"epoch: {epoch}, train loss: {losses.mean():.3f} - valid acc: {accuracy:.2f}")


def dataio_prepare(hparams, batches, seed):
    generator = torch.Generator().manual_seed(seed)
    sizes = (hparams["batch_size"], hparams["frames"], hparams["n_mels"], hparams["n_classes"])
    return [calls(*sizes, generator) for _ in range(batches)]


if __name__ == "__main__":
    torch.manual_seed(hparams["seed"])
    names = ("n_mels", "d_model", "num_layers", "layerdrop_prob", "max_frames")
    encoder = Encoder(**{name: hparams[name] for name in names})
    output = torch.nn.Linear(hparams["d_model"], hparams["n_classes"])
    brain = LoonBrain(
        modules={"encoder": encoder, "output": output},
        opt_class=lambda parameters: torch.optim.Adam(parameters, lr=hparams["lr"]),
        hparams=hparams,
    )
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
        brain.fit(dataio_prepare(hparams, 8, seed=1), dataio_prepare(hparams, 2, seed=2))
