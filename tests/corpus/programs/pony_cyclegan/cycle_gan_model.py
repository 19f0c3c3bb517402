import itertools

import torch
from image_pool import ImagePool
from networks import GANLoss, NLayerDiscriminator, ResnetGenerator, init_weights
from torch import nn


class CycleGANModel:
    def __init__(self, opt):
        self.opt = opt
        self.loss_names = ["G", "cycle", "idt", "D"]
        self.netG_A = init_weights(ResnetGenerator(opt.ngf))
        self.netG_B = init_weights(ResnetGenerator(opt.ngf))
        self.netD_A = init_weights(NLayerDiscriminator(opt.ndf))
        self.fake_pool = ImagePool(opt.pool_size)
        self.criterionGAN = GANLoss()
        self.criterionCycle = nn.L1Loss()
        self.optimizer_G = torch.optim.Adam(
            itertools.chain(self.netG_A.parameters(), self.netG_B.parameters()),
            lr=opt.lr,
            betas=(opt.beta1, 0.999),
        )
        self.optimizer_D = torch.optim.Adam(
            self.netD_A.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999)
        )
        self.generator_step = torch.compile(self.forward_G, backend=opt.backend)

    def set_input(self, input):
        self.real_A, self.real_B = input["A"], input["B"]

    def update_options(self, epoch):
        """The identity is only asked for until colours have settled."""
        keep = 1.0 - epoch / self.opt.n_epochs_identity
        self.opt.lambda_identity = self.opt.lambda_identity_start * max(0.0, keep)

    def set_requires_grad(self, nets, requires_grad=False):
        for net in nets:
            for param in net.parameters():
                param.requires_grad = requires_grad

    def forward_G(self, real_A, real_B):
        lambda_idt = self.opt.lambda_identity
        fake_B = self.netG_A(real_A)
        loss_G_A = self.criterionGAN(self.netD_A(fake_B), True)
        loss_cycle = self.criterionCycle(self.netG_B(fake_B), real_A) * self.opt.lambda_A
        loss_idt = self.criterionCycle(self.netG_A(real_B), real_B) * lambda_idt
        return loss_G_A + loss_cycle + loss_idt, loss_cycle, loss_idt, fake_B

    def backward_D(self, real, fake):
        loss_D_real = self.criterionGAN(self.netD_A(real), True)
        loss_D_fake = self.criterionGAN(self.netD_A(fake.detach()), False)
        loss_D = (loss_D_real + loss_D_fake) * 0.5
        loss_D.backward()
        return loss_D

    def optimize_parameters(self):
        # G
        self.set_requires_grad([self.netD_A], False)
        self.optimizer_G.zero_grad()
        self.loss_G, self.loss_cycle, self.loss_idt, fake_B = self.generator_step(
            self.real_A, self.real_B
        )
        self.loss_G.backward()
        self.optimizer_G.step()
        # D
        self.set_requires_grad([self.netD_A], True)
        self.optimizer_D.zero_grad()
        self.loss_D = self.backward_D(self.real_B, self.fake_pool.query(fake_B))
        self.optimizer_D.step()

    def get_current_losses(self):
        return {name: float(getattr(self, "loss_" + name).detach()) for name in self.loss_names}
