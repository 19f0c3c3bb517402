import torch
import torch.nn.functional as F
import torch.optim as optim
from networks import Discriminator, Generator, pewter, weights_init
from options import parse
from torch.utils.data import DataLoader, TensorDataset
from watch import GradWatch

opt = parse()
torch.manual_seed(999)

loader = DataLoader(
    TensorDataset(pewter(96)), batch_size=opt.batchSize, shuffle=True, drop_last=True
)
netG = Generator(opt.nz)
netG.apply(weights_init)
netD = Discriminator()
netD.apply(weights_init)
optimizerD = optim.Adam(netD.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
fixed_noise = torch.randn(4, opt.nz)
watch = GradWatch(opt.watch_every)


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad = flag


def blur(x, sigma):
    return x + sigma * torch.randn_like(x)


def d_step(real, fake, sigma):
    set_requires_grad(netD, True)
    optimizerD.zero_grad()
    errD_real = F.softplus(-netD(blur(real, sigma))).mean()
    errD_fake = F.softplus(netD(blur(fake.detach(), sigma))).mean()
    errD = errD_real + errD_fake
    errD.backward()
    optimizerD.step()
    return errD.detach()


def g_step(z, fake, sigma, step):
    set_requires_grad(netD, False)
    optimizerG.zero_grad()
    watch.attach(fake)
    errG = F.softplus(-netD(blur(fake, sigma))).mean()
    if step % opt.ms_every == 0:
        first, second = fake.chunk(2)
        z1, z2 = z.chunk(2)
        apart = (first - second).abs().mean() / (z1 - z2).abs().mean()
        errG = errG + opt.lambda_ms / (apart + 1e-5)
    errG.backward()
    optimizerG.step()
    return errG.detach()


step, total = 0, opt.niter * len(loader)
for epoch in range(opt.niter):
    for (real,) in loader:
        sigma = opt.noise * (1 - step / total)
        z = torch.randn(opt.batchSize, opt.nz)
        fake = netG(z)
        errD = d_step(real, fake, sigma)
        errG = g_step(z, fake, sigma, step)
        step += 1
    print(f"[{epoch}/{opt.niter}] D {errD:.3f} G {errG:.3f} | {watch}")

netG.eval()
with torch.no_grad():
    samples = netG(fixed_noise)
print(f"samples {samples.mean():.3f} +- {samples.std():.3f}")
