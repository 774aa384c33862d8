"""Imports Pillow, which is an extra."""

from __future__ import annotations

from botequim.core.errors import InputError
from botequim.core.messages import msg

try:
    from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError
except ImportError as error:
    raise InputError(msg('this needs Pillow: pip install "botequim[pictures]"')) from error

__all__ = ["Image", "ImageOps", "ImageSequence", "UnidentifiedImageError"]
