"""Two runs side by side, and which differences are more than noise."""
