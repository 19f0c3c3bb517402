import torch


class Loop:
    def __init__(self, model, callbacks, steps):
        self.model = model
        self.fast = torch.compile(model, backend="eager")
        self.callbacks = callbacks
        self.steps = steps
        self.optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

    def run(self):
        last = None
        for step in range(self.steps):
            for callback in self.callbacks:
                callback.before_step(self, step)
            words = torch.randint(0, 50, (4, 33))
            loss = self.fast(words[:, :-1], words[:, 1:])
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            last = loss.item()
            for callback in self.callbacks:
                callback.after_step(self, step, last)
        return last
