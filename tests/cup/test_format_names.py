"""Every format of ours has a name for people, in both languages."""

from __future__ import annotations

import pytest

from botequim import registry
from botequim.cup.report.format_names import format_name
from botequim.i18n import use_language


@pytest.mark.parametrize("name", registry.format_names())
def test_a_format_has_a_name_in_both_languages(name: str) -> None:
    names = []
    for language in ("en", "pt_BR"):
        with use_language(language):
            names.append(format_name(name))
    assert "_" not in "".join(names)
    assert names[0] != names[1]


def test_a_format_of_another_package_keeps_its_name() -> None:
    assert format_name("royal") == "royal"
