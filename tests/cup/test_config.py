"""Cup files: what they may hold, and what is said of those that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from botequim import i18n, registry
from botequim.core.errors import InputError, UnknownName
from botequim.core.limits import MB
from botequim.core.options import resolve_options
from botequim.cup.config import Entry
from botequim.cup.config_parser import parse, read
from botequim.cup.stages import commitment
from botequim.cup.templates import cup_file_text, find_template, template_names
from botequim.cup.toml_lines import Lines

GOOD = """\
name = "Test"
game = "cubos"
seed = "7"

[options]
blocked = "draw"

[limits]
move = 2.5
memory = 256

[[stages]]
name = "league"
format = "round_robin"
games = 3

[[stages]]
name = "finals"
format = "knockout"
top = 2
third_place = false

[[entrants]]
name = "Ana"
bot = "greedy"
authors = ["Ana", "Bia"]
students = ["123456"]

[[entrants]]
name = "Bento"
bot = "bots/bento"
wire = "arena-lines"
portrait = "img/b.png"

[[entrants]]
name = "Carla"
bot = "cmd:./carla"
"""


def test_a_good_file() -> None:
    cup = parse(GOOD, Path("/cups/a/cup.toml"))
    assert (cup.name, cup.game, cup.seed, cup.options) == ("Test", "cubos", "7", {"blocked": "draw"})
    assert cup.limits == {"move": 2.5, "memory": 256 * MB}
    ana, bento, carla = cup.entrants
    assert (ana.authors, ana.students) == (("Ana", "Bia"), ("123456",))
    assert cup.bot_reference(ana) == "greedy"
    assert cup.bot_reference(bento) == "arena-lines:/cups/a/bots/bento"
    assert cup.bot_reference(carla) == "cmd:./carla"
    assert cup.portrait(bento) == Path("/cups/a/img/b.png")
    assert cup.portrait(ana) is None
    assert [plan.source for plan in cup.plans] == [None, "league"]
    assert cup.plans[1].options["third_place"] == "no"


def change(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


BAD: list[tuple[str, str, int, str]] = [
    # a key, a name
    (
        'seed = "7"',
        'sed = "7"',
        3,
        'unknown key "sed"; did you mean "seed"? Known: name, game, options, seed',
    ),
    ('game = "cubos"', 'game = "cubo"', 2, 'unknown game "cubo"; did you mean "cubos"? Known: cubos, fives'),
    ('game = "cubos"', 'game = "chess"', 2, 'unknown game "chess"; known: cubos, fives, havana, rps, uno'),
    ('game = "cubos"\n', "", 1, 'the key "game" is missing'),
    ('name = "Test"\n', "", 1, 'the key "name" is missing'),
    ('name = "Test"', "name = 7", 1, '"name" must be a text in quotes, not 7'),
    ('name = "Test"', 'name = " "', 1, '"name" is empty or too long'),
    ('seed = "7"', "seed = 7", 3, '"seed" must be a text in quotes, not 7'),
    ('seed = "7"', 'commitment = "sha1:00"', 3, 'a commitment is "sha256:" followed by 64'),
    ('seed = "7"', f'seed = "8"\ncommitment = "{commitment("7")}"', 4, "this commitment does not match"),
    ('seed = "7"', "workers = 0", 3, '"workers" must be a whole number from 1 to 10000, not 0'),
    ('seed = "7"', "workers = true", 3, '"workers" must be a whole number from 1 to 10000, not true'),
    ('seed = "7"', 'restart = "never"', 3, 'unknown restart "never"; known: game, series'),
    ('seed = "7"', 'null = "Anna"', 3, 'unknown null "Anna"; did you mean "Ana"?'),
    ('seed = "7"', "most_authors = 1", 26, "there are 2 authors, but at most 1 are allowed"),
    # options, limits
    ('blocked = "draw"', 'bloked = "draw"', 6, 'unknown key "bloked"; did you mean "blocked"?'),
    (
        'blocked = "draw"',
        'blocked = "lost"',
        6,
        '"blocked" cannot be "lost"; allowed: draw, points (whether a blocked game',
    ),
    ('[options]\nblocked = "draw"', "options = 3", 5, '"options" must be a table: [options], not 3'),
    ("move = 2.5", 'move = "2.5"', 9, '"move" must be a number of seconds above 0, not "2.5"'),
    ("move = 2.5", "move = 0", 9, '"move" must be a number of seconds above 0, not 0'),
    ("memory = 256", "memory = 0.5", 10, '"memory" must be a whole number from 1 to 1000000, not 0.5'),
    ("memory = 256", "ram = 256", 10, 'unknown key "ram"; known: move, start, build, thinking, memory'),
    # stages
    (
        'format = "round_robin"',
        'format = "round_robbin"',
        14,
        'unknown format "round_robbin"; did you mean "round_robin"?',
    ),
    ('format = "round_robin"\n', "", 12, 'the key "format" is missing in this table of stages'),
    ('name = "league"\n', "", 12, 'the key "name" is missing in this table of stages'),
    ("games = 3", "games = 0", 15, '"games" must be a whole number from 1 to 10000000, not 0'),
    ("games = 3", 'games = "3"', 15, '"games" must be a whole number from 1 to 10000000, not "3"'),
    ("games = 3", "games = 3\nbest_of = 3", 16, 'give either "games" or "best_of"'),
    ("games = 3", "best_of = 4", 15, "best of 4 can end level: give an odd number"),
    ("games = 3", "gaems = 3", 15, 'unknown key "gaems"; did you mean "games"?'),
    ("games = 3", "win = -1", 15, '"win" cannot be -1; allowed: 0 to 100 (points for a win)'),
    ("games = 3", 'win = "3"', 15, '"win" cannot be "3"'),
    ("games = 3", "win = true", 15, '"win" cannot be true'),
    ("games = 3", 'sides = "both"', 15, 'unknown sides "both"; known: drawn, fixed, every'),
    ("games = 3", 'starter = "first"', 15, 'unknown starter "first"; known: -'),
    ("games = 3", "top = 2", 15, "there is no stage before the first one"),
    ("top = 2", "top = 4", 20, 'this stage takes the best 4 of "league", but only 3 play'),
    ("top = 2", "top = 1", 19, "knockout: at least 2 entrants are needed, but there is only 1"),
    ("top = 2", 'from = "legue"', 20, 'unknown from "legue"; did you mean "league"?'),
    ("third_place = false", 'third_place = "maybe"', 21, '"third_place" cannot be "maybe"; allowed: yes, no'),
    ('name = "finals"', 'name = "league"', 18, 'there is already a stage "league"'),
    ('name = "finals"', 'name = "a/b"', 18, "the name of a stage consists of letters"),
    (
        'format = "knockout"\ntop = 2\nthird_place = false',
        'format = "combinations"',
        19,
        "cubos is played by 2 entrants, not 3",
    ),
    (
        'format = "knockout"\ntop = 2\nthird_place = false',
        'format = "combinations"\nsize = 4',
        19,
        "combinations: at least 4 entrants are needed",
    ),
    # entrants
    ('name = "Bento"', 'name = "ANA"', 30, 'the name "ANA" is already used on line 24'),
    ('name = "Bento"', 'name = "a|b"', 30, "a name has at most 80 visible characters and no |"),
    ('name = "Bento"', f'name = "{"x" * 81}"', 30, "a name has at most 80 visible characters"),
    ('bot = "greedy"\n', "", 23, 'the key "bot" is missing in this table of entrants'),
    (
        'authors = ["Ana", "Bia"]',
        'authors = "Ana"',
        26,
        '"authors" must be a list of texts: ["one", "two"], not "Ana"',
    ),
    ('students = ["123456"]', "students = [123456]", 27, '"students" must be a list of texts'),
    (
        'wire = "arena-lines"',
        'wire = "arena-line"',
        32,
        'unknown wire "arena-line"; did you mean "arena-lines"? Known: cubos, arena',
    ),
    ('wire = "arena-lines"', 'wire = "uno"', 32, 'unknown wire "uno"; known: cubos'),
    ('wire = "arena-lines"', 'colour = "red"', 32, 'unknown key "colour"; known: name, bot, wire'),
    # TOML itself
    ("games = 3", "games = ", 15, "not TOML: Invalid value"),
    ("games = 3", "games = 3\ngames = 4", 16, "not TOML: Cannot overwrite a value"),
    ('bot = "cmd:./carla"', 'bot = "cmd:./carla', 37, "not TOML: Illegal character"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "said"), BAD, ids=[case[3][:40] for case in BAD])
def test_a_wrong_file_is_told_its_line_and_the_remedy(old: str, new: str, line: int, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(change(old, new), Path("cup.toml"))
    assert str(caught.value).startswith(f"cup.toml:{line}: ")
    assert said in str(caught.value)


def test_players_follow_from_the_stages() -> None:
    entrants = [Entry(f"bot{number}", "random") for number in range(8)]
    text = cup_file_text(find_template("uno"), entrants=entrants)
    assert parse(text.replace("size = 3", "size = 6")).plans[0].options["size"] == 6
    with pytest.raises(InputError, match="the stages determine how many entrants sit at a table"):
        parse(text.replace("[limits]", "[options]\nplayers = 3\n[limits]"))
    with pytest.raises(InputError, match=r"cup.toml:\d+: uno for 7 players needs decks = 2"):
        parse(text.replace("size = 3", "size = 7"))


def test_a_file_without_entrants_or_stages() -> None:
    text = 'name = "x"\ngame = "rps"\n'
    with pytest.raises(InputError, match=r"cup.toml:1: there are no entrants"):
        parse(text)
    with pytest.raises(
        InputError, match=r"cup.toml:1: there are no stages; add a table \[\[stages\]\] for each"
    ):
        parse(text + '[[entrants]]\nname = "a"\nbot = "random"\n')
    with pytest.raises(InputError, match=r'cup.toml:3: "entrants" must be tables: \[\[entrants\]\]'):
        parse(text + "entrants = []\n")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        read(tmp_path / "none.toml")
    with pytest.raises(InputError, match="is a folder; give a cup file"):
        read(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'game = "cubos"\nname = "Domin\xf3"\n')
    with pytest.raises(InputError, match=r"latin.toml:2: not UTF-8"):
        read(latin)
    good = tmp_path / "good.toml"
    good.write_text("\ufeff" + GOOD.replace("\n", "\r\n"), encoding="utf-8")
    assert read(good).name == "Test"
    good.write_text(
        GOOD.replace("games = 3", "gaems = 3").replace("\n", "\r\n"), encoding="utf-8", newline=""
    )
    with pytest.raises(InputError, match=r"good.toml:15: unknown key"):
        read(good)


def test_a_mistake_is_told_in_the_readers_language() -> None:
    i18n.set_language("pt_BR")
    with pytest.raises(InputError) as caught:
        parse(change("games = 3", "gaems = 3"))
    assert i18n.error_text(caught.value) == (
        'cup.toml:15: chave desconhecida "gaems"; você quis dizer "games"? Conhecidas: name, format, games, '
        "best_of, sides, starter, from, top, win, draw, loss, meetings, playoff, playoff_games, playoffs"
    )


def test_the_digest_changes_with_what_results_depend_on() -> None:
    before = parse(GOOD).digest()
    for old, new in (
        ("games = 3", "games = 4"),
        ("bots/bento", "bots/b"),
        ("move = 2.5", "move = 3"),
        ("top = 2", "top = 3"),
    ):
        assert parse(change(old, new)).digest() != before
    for old, new in (
        ('"Bia"', '"Eva"'),
        ("img/b.png", "img/c.png"),
        ('seed = "7"', 'seed = "7"\nworkers = 2'),
    ):
        assert parse(change(old, new)).digest() == before


def test_the_digest_of_a_cup_is_frozen_since_stores_and_bundles_have_it() -> None:
    assert parse(GOOD).digest() == "2a0e9b6c322e429fdff6ccae8290ffc3"


# --- seeds -----------------------------------------------------------------------------------------


def test_a_seed_is_the_files_the_one_told_or_drawn() -> None:
    assert parse(GOOD).settled_seed(None, "drawn") == "7"
    assert parse(GOOD).settled_seed("7", "drawn") == "7"
    with pytest.raises(InputError, match="is not the one that was given"):
        parse(GOOD).settled_seed("8", "drawn")
    neither = parse(change('seed = "7"', ""))
    assert neither.settled_seed(None, "drawn") == "drawn"
    assert neither.settled_seed("8", "drawn") == "8"
    promised = parse(change('seed = "7"', f'commitment = "{commitment("7")}"'))
    assert promised.settled_seed("7", "drawn") == "7"
    with pytest.raises(InputError, match="contains only the commitment to a seed"):
        promised.settled_seed(None, "drawn")
    with pytest.raises(InputError, match="does not match the commitment"):
        promised.settled_seed("8", "drawn")


# --- lines -----------------------------------------------------------------------------------------


def test_lines_are_found_whatever_values_look_like() -> None:
    text = '''\
# a comment
text = """
[not.a.table]
key = 1 \\""" still inside
"""
raw = \'\'\'
[[nor]] this\'\'\'
list = [
  "a", # ]
  { inside = 1 },
]
"quoted key" = 1
a.b = "=#[" # [x]
[table]
x = 1
[[many]]
y = 1
[many.sub]
z = 1
[[many]]
y = 2
'''
    lines = Lines(text)
    assert lines.of("text") == 2
    assert lines.of("raw") == 6
    assert lines.of("list") == lines.of("list", 1, "inside") == 8
    assert lines.of("quoted key") == 12
    assert lines.of("a", "b") == 13
    assert lines.of("table", "x") == 15
    assert lines.of("many", 0) == 16
    assert lines.of("many", 0, "sub", "z") == 19
    assert lines.of("many", 1, "y") == 21
    assert lines.of("many", 1, "missing") == 20
    assert lines.of("missing") == 1


# --- templates -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "pt_BR"])
@pytest.mark.parametrize("name", template_names())
def test_templates_can_be_read_and_say_the_same_in_every_language(name: str, language: str) -> None:
    english = cup_file_text(find_template(name), seed="7")
    i18n.set_language(language)
    text = cup_file_text(find_template(name), seed="7")
    assert parse(text) == parse(english)
    assert (text == english) == (language == "en")
    assert max(map(len, text.splitlines())) <= 100


def test_a_template_takes_a_name_and_a_promise() -> None:
    text = cup_file_text(find_template("cubos"), name='Rinha "Ó\\"\t2026', commitment=commitment("7"))
    cup = parse(text)
    assert cup.name == 'Rinha "Ó\\"\t2026'
    assert cup.commitment == commitment("7")
    assert cup.seed is None


def test_an_unknown_template_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match='unknown template "chess"; known: cubos, fives, havana, rps, uno,'):
        find_template("chess")


@pytest.mark.parametrize(
    ("game", "option", "form"),
    [("cubos", None, "round_robin"), ("uno", 2, "round_robin"), ("uno", 5, "combinations")],
)
def test_a_game_without_a_template_gets_a_league(
    game: str, option: int | None, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if option is not None:
        rules = registry.game(game)
        teams = rules.teams(resolve_options(game, rules.options, {"players": option}))
        monkeypatch.setattr(type(rules), "teams", lambda self, options: teams)
    monkeypatch.setattr(registry, "cup_template", lambda game, name: None)
    text = cup_file_text(find_template(game))
    monkeypatch.undo()
    cup = parse(text)
    assert (cup.game, [plan.format for plan in cup.plans]) == (game, [form])
    assert len(cup.entrants) == max(4, option or 0)
