"""Records of one process become its part of the model."""
