"""All animals."""

from __future__ import annotations

from typing import Final

from tests.zoo.animal import Animal
from tests.zoo.answering import ANSWERING
from tests.zoo.reaching import REACHING
from tests.zoo.serving import SERVING
from tests.zoo.taking import TAKING
from tests.zoo.writing import WRITING

ANIMALS: Final[dict[str, Animal]] = {
    animal.name: animal for animal in (*ANSWERING, *WRITING, *SERVING, *TAKING, *REACHING)
}
