from dataclasses import dataclass


@dataclass
class HerbConfig:
    vocab_size: int = 60
    hidden_size: int = 16
    num_hidden_layers: int = 2
    num_attention_heads: int = 2
    intermediate_size: int = 32
    max_position_embeddings: int = 16
    num_labels: int = 4
    layer_norm_eps: float = 1e-6
    gradient_checkpointing: bool = False


@dataclass
class TrainingArguments:
    num_train_epochs: int = 3
    per_device_train_batch_size: int = 8
    learning_rate: float = 1e-3
    layer_decay: float = 0.8
    logging_steps: int = 4
    seed: int = 42
