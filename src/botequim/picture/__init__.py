"""Pictures of games: positions as SVG, PNG and animated GIF, and a whole game in one page.

`Played(found).scene(12, sight)` is a position of a record, `picture(scene)` its drawing.
"""

from botequim.picture.drawing import Look, parts, picture
from botequim.picture.layout import Shape
from botequim.picture.painter import Painter
from botequim.picture.scene import OPEN, Place, Played, Scene, Sight, scene_of
from botequim.picture.theme import Theme

__all__ = [
    "OPEN",
    "Look",
    "Painter",
    "Place",
    "Played",
    "Scene",
    "Shape",
    "Sight",
    "Theme",
    "parts",
    "picture",
    "scene_of",
]
