"""Sources → blocks → records. Nothing here raises for what a file contains."""
