import torch


def randn_tensor(shape, generator):
    return torch.randn(shape, generator=generator)


class FrescoPipeline:
    def __init__(self, unet, scheduler, vae_scale=0.18215, backend="aot_eager"):
        self.unet, self.scheduler, self.vae_scale = unet, scheduler, vae_scale
        self.denoise = torch.compile(self._denoise, backend=backend)
        self.advance = torch.compile(scheduler.step, backend=backend)

    def encode_prompt(self, prompt, do_classifier_free_guidance):
        ids = torch.tensor([[ord(c) % 17 for c in prompt.ljust(8)[:8]]])
        embeds = torch.nn.functional.one_hot(ids % 6, 6).float()
        if do_classifier_free_guidance:
            embeds = torch.cat([torch.zeros_like(embeds), embeds])
        return embeds

    def _denoise(self, latents, t, prompt_embeds, guidance_scale):
        latent_model_input = torch.cat([latents] * 2)
        noise_pred = self.unet(latent_model_input, t, prompt_embeds)
        uncond, text = noise_pred.chunk(2)
        if guidance_scale > 1.0:
            return uncond + guidance_scale * (text - uncond)
        return text

    @torch.no_grad()
    def __call__(self, prompt, num_inference_steps=8, guidance_scale=5.0, generator=None):
        prompt_embeds = self.encode_prompt(prompt, do_classifier_free_guidance=True)
        self.scheduler.set_timesteps(num_inference_steps)
        latents = randn_tensor((1, 4, 8, 8), generator) * self.scheduler.init_noise_sigma
        for i, t in enumerate(self.scheduler.timesteps):
            # guidance fades towards the end
            scale = 1.0 + (guidance_scale - 1.0) * (1 - i / num_inference_steps)
            noise_pred = self.denoise(latents, t, prompt_embeds, scale)
            latents = self.advance(noise_pred, i, latents).prev_sample
        return (latents / self.vae_scale).clamp(-1, 1)
