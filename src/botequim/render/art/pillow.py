"""Imports Pillow, which is an extra."""

from __future__ import annotations

from botequim.core.extras import extra_error
from botequim.core.messages import msg

try:
    from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError
except ImportError as error:
    raise extra_error(msg("this needs Pillow, from the extra `pictures`"), "pictures") from error

__all__ = ["Image", "ImageOps", "ImageSequence", "UnidentifiedImageError"]
