import copy

import lightning
import torch
from nets import Discriminator, Generator
from torch.nn import functional as F


class MosaicGAN(lightning.LightningModule):
    def __init__(self, latent_dim=6, lr=4e-3, b1=0.5, b2=0.99, clip=1.0, sigma=0.2):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.generator = Generator(latent_dim)
        self.discriminator = Discriminator()
        self.average = copy.deepcopy(self.generator).requires_grad_(False)
        self.register_buffer("preview_z", torch.randn(4, latent_dim))
        self.history = {}
        for p in self.generator.project.parameters():
            p.register_hook(lambda grad: grad * 0.5)

    def forward(self, z):
        return self.average(z)

    def noisy(self, images):
        sigma = self.hparams.sigma * max(0.0, 1 - self.global_step / 20)
        return images + sigma * torch.randn_like(images)

    def temperature(self):
        return 1.0 + 0.5 * 0.8**self.current_epoch

    def training_step(self, images, batch_idx):
        opt_g, opt_d = self.optimizers()
        z = torch.randn(len(images), self.hparams.latent_dim, device=self.device)

        self.toggle_optimizer(opt_g)
        fake = self.generator(z)
        logits = self.discriminator(self.noisy(fake), self.temperature())
        g_loss = F.softplus(-logits).mean()
        opt_g.zero_grad()
        self.manual_backward(g_loss)
        self.clip_gradients(opt_g, self.hparams.clip, "norm")
        opt_g.step()
        self.untoggle_optimizer(opt_g)

        self.toggle_optimizer(opt_d)
        pair = torch.cat([images, fake.detach()])
        smooth = 0.9 if self.current_epoch == 0 else 0.95
        labels = torch.cat([torch.full((len(images),), smooth), torch.zeros(len(images))])
        logits = self.discriminator(self.noisy(pair), self.temperature())
        d_loss = F.binary_cross_entropy_with_logits(logits, labels)
        opt_d.zero_grad()
        self.manual_backward(d_loss)
        opt_d.step()
        self.untoggle_optimizer(opt_d)

        self.note(g_loss=g_loss, d_loss=d_loss)
        if batch_idx % 2 == 0:
            self.update_average()

    def note(self, **losses):
        for name, loss in losses.items():
            self.history.setdefault(name, []).append(loss.item())

    @torch.no_grad()
    def update_average(self):
        decay = min(0.9, (1 + self.global_step) / (10 + self.global_step))
        ours = self.generator.state_dict().values()
        for a, p in zip(self.average.state_dict().values(), ours, strict=True):
            a.copy_(decay * a + (1 - decay) * p)

    def validation_step(self, images, batch_idx):
        fake = self(torch.randn(len(images), self.hparams.latent_dim))
        gap = self.discriminator(images).mean() - self.discriminator(fake).mean()
        self.log("val_gap", gap, batch_size=len(images))

    def on_train_epoch_end(self):
        for scheduler in self.lr_schedulers():
            scheduler.step()
        means = {name: sum(values) / len(values) for name, values in self.history.items()}
        print(f"epoch {self.current_epoch}", {k: round(v, 3) for k, v in means.items()})
        self.history.clear()

    def configure_optimizers(self):
        lr, betas = self.hparams.lr, (self.hparams.b1, self.hparams.b2)
        opt_g = torch.optim.Adam(self.generator.parameters(), lr=lr, betas=betas)
        opt_d = torch.optim.Adam(self.discriminator.parameters(), lr=lr, betas=betas)
        decay = torch.optim.lr_scheduler.ExponentialLR
        return [opt_g, opt_d], [decay(opt_g, 0.9), decay(opt_d, 0.9)]
