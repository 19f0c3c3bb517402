import torch


class Fitter:
    def __init__(self, epochs):
        self.epochs = epochs
        self.current_epoch = 0

    def fit(self, module, batches):
        module.trainer = self
        compiled = torch.compile(module, backend="aot_eager", dynamic=False)
        optimizer = torch.optim.SGD(module.parameters(), 0.05)
        while self.current_epoch < self.epochs:
            for batch in batches:
                loss = compiled(batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(self.current_epoch, round(loss.item(), 5))
            self.current_epoch += 1
