"""The policies of cubos, learned by `scripts/train_cubos.py`, which writes this file."""
POLICIES: list[float] = [0.0] * 840
MIXTURE = (0.35, 0.35, 0.2, 0.1)
