"""Every registered format keeps the contract, and the check notices each kind of broken one."""

from __future__ import annotations

import pytest

from botequim import registry
from botequim.cup.format import named
from botequim.testing import check_format


@pytest.mark.parametrize("name", registry.format_names())
def test_every_registered_format_keeps_the_contract(name: str) -> None:
    check_format(named(name))
