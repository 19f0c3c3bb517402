"""Raises the capacity of the code as training goes on."""


class CapacityController:
    def __init__(self, vae, highest, epochs):
        self.vae, self.highest, self.epochs = vae, highest, epochs

    def begin_epoch(self, epoch):
        self.vae.capacity = self.highest * (epoch + 1) / self.epochs
