"""Train a DCGAN on small faces."""

import torch
import torch.nn as nn
from logger import GradLogger
from networks import Discriminator, Generator, weights_init
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset

batch_size = 16
num_epochs = 2
lr = 2e-4
beta1 = 0.5
real_label, fake_label = 0.9, 0.0


def get_dataloader():
    faces = torch.rand(104, 3, 16, 16) * 2 - 1
    return DataLoader(TensorDataset(faces), batch_size=batch_size, shuffle=True)


def main():
    torch.manual_seed(999)
    dataloader = get_dataloader()
    netG = Generator()
    netG.apply(weights_init)
    netD = Discriminator()
    netD.apply(weights_init)
    criterion = nn.BCEWithLogitsLoss()
    optimizerD = torch.optim.Adam(netD.parameters(), lr=lr, betas=(beta1, 0.999))
    optimizerG = torch.optim.Adam(netG.parameters(), lr=lr, betas=(beta1, 0.999))
    grads = GradLogger(every=4)
    step = 0

    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(num_epochs):
            for i, (real,) in enumerate(dataloader):
                # Update D: maximize log(D(x)) + log(1 - D(G(z)))
                netD.zero_grad()
                label = torch.full((len(real),), real_label)
                noise = torch.randn(len(real), netG.nz, 1, 1)
                fake = netG(noise)
                errD_real = criterion(netD(real), label)
                errD_fake = criterion(netD(fake.detach()), torch.full_like(label, fake_label))
                errD = errD_real + errD_fake
                errD.backward()
                optimizerD.step()

                # Update G: maximize log(D(G(z)))
                netG.zero_grad()
                netD.requires_grad_(False)
                grads.watch(fake, step)
                errG = criterion(netD(fake), label)
                errG.backward()
                grads.log(fake, step)
                netD.requires_grad_(True)
                optimizerG.step()
                if i % 5 == 0:
                    print(f"[{epoch}][{i}] D {errD.item():.3f} G {errG.item():.3f}")
                step += 1
    print(grads.summary())


if __name__ == "__main__":
    main()
