import torch


class Engine:
    def __init__(self, model, plugins, lr):
        self.model, self.plugins = model, plugins
        self.criterion = torch.nn.CrossEntropyLoss(label_smoothing=0.05)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.step = 0
        self.loss = None

    def call(self, moment):
        for plugin in self.plugins:
            action = getattr(plugin, moment, None)
            if action is not None:
                action(self)

    def fit(self, data, epochs):
        for epoch in range(epochs):
            for ids, labels in data:
                self.call("before_step")
                self.optimizer.zero_grad()
                self.loss = self.criterion(self.model(ids), labels)
                self.call("before_backward")
                self.loss.backward()
                self.call("after_backward")
                self.optimizer.step()
                self.step += 1
            yield epoch, self.loss.item()
