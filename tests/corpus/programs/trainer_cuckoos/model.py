from data import LABELS
from torch import nn
from transformers import ASTConfig, ASTForAudioClassification


def build_model(bands=16, frames=32):
    config = ASTConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        hidden_dropout_prob=0.0,
        patch_size=8,
        frequency_stride=8,
        time_stride=8,
        max_length=frames,
        num_mel_bins=bands,
        id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)},
    )
    model = ASTForAudioClassification(config)
    nn.init.zeros_(model.classifier.dense.bias)
    return model


def stages(model):
    """Groups of parameters from the head down to the embeddings."""
    body = model.audio_spectrogram_transformer
    groups = [[*model.classifier.parameters(), *body.layernorm.parameters()]]
    groups += [list(layer.parameters()) for layer in reversed(body.layers)]
    groups[-1] += list(body.embeddings.parameters())
    return groups
