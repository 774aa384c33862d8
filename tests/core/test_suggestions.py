"""A misspelled name gets a suggestion, in the language of the reader."""

from __future__ import annotations

import pytest

from botequim import registry
from botequim.core.errors import UnknownName
from botequim.core.messages import msg
from botequim.core.suggestions import similar_name, with_suggestion
from botequim.i18n import error_text, use_language


@pytest.mark.parametrize(
    ("name", "similar"),
    [("cubo", "cubos"), ("Havana", "havana"), ("unno", "uno"), ("chess", None), ("", None)],
)
def test_the_most_similar_name_is_found(name: str, similar: str | None) -> None:
    assert similar_name(name, ("cubos", "havana", "uno")) == similar


def test_a_problem_without_a_similar_name_stays_as_it_is() -> None:
    problem = msg("permission denied")
    assert with_suggestion(problem, "chess", ("cubos",)) is problem


def test_a_format_is_suggested_in_both_languages() -> None:
    with pytest.raises(UnknownName) as caught:
        registry.cup_format("knockuot")
    assert str(caught.value).endswith("; did you mean knockout?")
    with use_language("pt_BR"):
        assert error_text(caught.value).endswith("; você quis dizer knockout?")
