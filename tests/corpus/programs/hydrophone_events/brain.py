import torch
from torch._dynamo import compiled_autograd

TRAIN, VALID = "train", "valid"


class NewBob:
    """Anneal the learning rate when the loss has not improved enough."""

    def __init__(self, value, factor, threshold):
        self.value, self.factor, self.threshold, self.last = value, factor, threshold, None

    def __call__(self, loss):
        if self.last is not None and (self.last - loss) / self.last < self.threshold:
            self.value *= self.factor
        self.last = loss
        return self.value


class Brain:
    """Fit a module; subclasses say what is computed."""

    def __init__(self, module, opt_class, hparams, backend="aot_eager"):
        self.hparams = hparams
        self.module = module
        self.compiled = torch.compile(module, backend=backend)
        self.compiler = torch.compile(backend=backend)
        self.optimizer = opt_class(module.parameters())
        self.step = 0

    def compute_forward(self, batch, stage):
        raise NotImplementedError

    def compute_objectives(self, predictions, batch, stage):
        raise NotImplementedError

    def on_stage_start(self, stage, epoch):
        pass

    def on_stage_end(self, stage, loss, epoch):
        pass

    def fit_batch(self, batch):
        self.step += 1
        should_step = self.step % self.hparams["grad_accumulation_factor"] == 0
        loss = self.compute_objectives(self.compute_forward(batch, TRAIN), batch, TRAIN)
        with compiled_autograd._enable(self.compiler):
            (loss / self.hparams["grad_accumulation_factor"]).backward()
        if should_step:
            norm = self.hparams["max_grad_norm"]
            torch.nn.utils.clip_grad_norm_(self.module.parameters(), norm)
            self.optimizer.step()
            self.optimizer.zero_grad()
        return loss.detach().cpu()

    def evaluate_batch(self, batch):
        loss = self.compute_objectives(self.compute_forward(batch, VALID), batch, VALID)
        return loss.detach().cpu()

    def fit(self, epochs, train_set, valid_set):
        for epoch in range(1, epochs + 1):
            self.module.train()
            self.on_stage_start(TRAIN, epoch)
            average = sum(self.fit_batch(batch) for batch in train_set) / len(train_set)
            self.on_stage_end(TRAIN, average.item(), epoch)
            self.module.eval()
            self.on_stage_start(VALID, epoch)
            with torch.no_grad():
                losses = [self.evaluate_batch(batch) for batch in valid_set]
            self.on_stage_end(VALID, torch.stack(losses).mean().item(), epoch)
