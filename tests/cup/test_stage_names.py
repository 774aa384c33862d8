"""Usual names of stages have the language of the reader in messages, and stay as they are in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from botequim.core.messages import Message
from botequim.cup.change_effects import effect
from botequim.cup.changes import Change, Disqualification, NewFiles, Replay
from botequim.cup.explanations import description_in_state
from botequim.cup.revelation import Revelation
from botequim.cup.stages import CupState
from botequim.i18n import translate, use_language
from tests.support.changed_cups import FINAL, LEAGUE, make_cup, play, state_of


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> CupState:
    """A cup whose league is over."""
    cup = make_cup(tmp_path_factory.mktemp("stages"), LEAGUE + FINAL.replace('"final"', '"finals"'))
    play(cup, stages=["league"])
    return state_of(cup)


def test_a_place_names_its_stage(state: CupState) -> None:
    why = state.overall()[-1].why
    assert isinstance(why, Message)
    assert str(why) == "league: place 4"
    with use_language("pt_BR"):
        assert translate(why) == "liga: posição 4"


def test_what_is_revealed_names_its_stages() -> None:
    with use_language("pt_BR"):
        text = "\n".join(Revelation(games=1, series=1, stages=("league", "finals", "Série A")).sentences())
    assert "liga, finais, Série A" in text


def test_changes_and_their_effects_name_their_stages(state: CupState, tmp_path: Path) -> None:
    cup = make_cup(tmp_path, LEAGUE + FINAL.replace('"final"', '"finals"'))
    best = state.final_order("league")[0]
    with use_language("pt_BR"):
        changes: list[Change] = [NewFiles("ana", "finals"), Replay("league", "ana | bia")]
        texts = [translate(description_in_state(cup, state, one)) for one in changes]
        texts += [translate(one) for one in effect(cup, state, Disqualification(best))]
    assert [("liga" in text or "fina" in text) for text in texts] == [True] * len(texts)
    assert not any("league" in text or "finals" in text for text in texts)
