"""What all modules share."""

STEP = 0
WARMUP = 8
DEPTHS = 6
LEARNING_RATE = 0.01
