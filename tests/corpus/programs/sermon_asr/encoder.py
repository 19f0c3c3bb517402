import numpy as np
import torch
import torch.nn as nn
from modules import ConvFeatureExtraction, EncoderLayer, GradMultiply


class SpeechEncoder(nn.Module):
    def __init__(self, cfg, vocab):
        super().__init__()
        self.cfg = cfg
        self.rng = np.random.RandomState(cfg.seed)
        self.feature_extractor = ConvFeatureExtraction(cfg.encoder_embed_dim)
        self.mask_emb = nn.Parameter(torch.rand(cfg.encoder_embed_dim))
        self.layers = nn.ModuleList(
            EncoderLayer(cfg.encoder_embed_dim, cfg.dropout) for _ in range(cfg.encoder_layers)
        )
        self.proj = nn.Linear(cfg.encoder_embed_dim, vocab)
        self.num_updates = 0

    def set_num_updates(self, num_updates):
        self.num_updates = num_updates

    @property
    def feature_grad_mult(self):
        """Rises to its full value while the encoder is new."""
        done = min(1.0, (self.num_updates + 1) / self.cfg.feature_grad_warmup)
        return self.cfg.feature_grad_mult * done

    def apply_mask(self, x):
        if not self.training:
            return x
        mask = torch.from_numpy(self.rng.random_sample(x.shape[:2]) < self.cfg.mask_prob)
        return torch.where(mask.unsqueeze(-1), self.mask_emb, x)

    def extract_features(self, x):
        for layer in self.layers:
            dropout_probability = self.rng.random_sample()
            if not self.training or (dropout_probability > self.cfg.layerdrop):
                x = layer(x)
        return x

    def forward(self, wav):
        features = self.feature_extractor(wav)
        features = GradMultiply.apply(features, self.feature_grad_mult)
        x = self.extract_features(self.apply_mask(features))
        return self.proj(x).log_softmax(-1)
