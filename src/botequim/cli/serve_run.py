"""`botequim serve`: serves cups and the tables at which people play."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from botequim import interrupts, registry
from botequim.cli import bots
from botequim.cli.stores import read_cup
from botequim.core.errors import InputError
from botequim.core.extras import extra_error
from botequim.core.messages import msg
from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.bots.entrant import Entrant
    from botequim.cup.config import Cup
    from botequim.tables.offered_bots import OfferedBots
    from botequim.tables.tables import Tables
    from botequim.web.live.served import ServedCups

REQUIREMENTS = ("fastapi", "jinja2", "multipart", "segno", "uvicorn")
NEW = "new"


def run_serve(arguments: argparse.Namespace) -> int:
    require_web("botequim serve")
    from botequim.web.app import create_app
    from botequim.web.live.served import ServedCups
    from botequim.web.live.tables import Hands
    from botequim.web.qr import is_local
    from botequim.web.server.serving import (
        Server,
        addresses,
        listening_socket,
        raise_open_file_limit,
        trusted_proxies,
    )
    from botequim.web.server.tls import check_tls_files

    if not 0.05 <= arguments.pace <= 60:
        raise InputError(msg("--pace takes 0.05 to 60 seconds"))
    proxies = trusted_proxies(arguments.trusted_proxy)
    pair = check_tls_files(arguments.tls_cert, arguments.tls_key)
    cups = [read_cup(path, arguments.store) for path in arguments.cups]
    served_cups = ServedCups(cups, Hands(arguments.hands))
    if arguments.no_play and not cups:
        raise InputError(msg("give a cup file, or omit --no-play"))
    with ExitStack() as stack:
        listening = stack.enter_context(listening_socket(arguments.host, arguments.port))
        port = listening.getsockname()[1]
        urls = addresses(arguments.host, port, pair)
        tables = None if arguments.no_play else stack.enter_context(open_tables(arguments, cups, port))
        token = interrupts.run(_token(served_cups, tables, arguments.token))
        app = create_app(
            served_cups,
            pace=arguments.pace,
            address=urls[0],
            tables=tables,
            # with TLS, a page of another site has no certificate for its own name
            is_local=arguments.host != "" and is_local(f"http://{arguments.host}") and not (proxies or pair),
        )
        raise_open_file_limit()
        return Server(app, lambda: _print_addresses(urls, token), pair, proxies).run_on(listening)


def require_web(command: str) -> None:
    """Raise InputError if a library that the server needs is not installed."""
    if not all(find_spec(name) for name in REQUIREMENTS):
        raise extra_error(msg("`{command}` needs the extra `web`", command=command), "web")


async def _token(served_cups: ServedCups, tables: Tables | None, option: str | None) -> str | None:
    """Return a new token to print, if a cup or the tables need one. All without a token get the same."""
    from botequim.web.pages.organiser import SHORTEST_TOKEN, digest, has_token, keep_token, new_token

    if option is not None and option != NEW and len(option) < SHORTEST_TOKEN:
        raise InputError(
            msg("the token is too short and could be guessed; use at least {n} characters", n=SHORTEST_TOKEN)
        )
    token = new_token() if option in (None, NEW) else option
    assert token is not None
    without = [one for one in served_cups.cups.values() if option is not None or not await has_token(one)]
    for cup in without:
        await keep_token(cup, token)
    is_new_for_tables = tables is not None and (option is not None or not tables.organiser)
    if tables is not None and is_new_for_tables:
        tables.organiser = digest(token)
    return token if without or is_new_for_tables else None


def _print_addresses(urls: list[str], token: str | None) -> None:
    """Print the addresses when the server is ready, and a QR code of one that phones can open."""
    from botequim.web.qr import is_local

    for address in urls:
        print(_("serving at {address}", address=address))
    if token is not None:
        print(_("for the organiser only: {address}", address=f"{urls[-1]}organiser?token={token}"))
    else:
        print(_("for the organiser: {address} (a new token: --token new)", address=f"{urls[-1]}organiser"))
    if is_local(urls[0]):
        print(_("Phones cannot open this address; {option} lets them.", option="--host 0.0.0.0"))
    elif sys.stdout.isatty():
        import segno

        segno.make(urls[0], micro=False).terminal(compact=True)
    print(_("Press Ctrl-C to stop."), flush=True)


# --- the tables ----------------------------------------------------------------------------------------


@contextmanager
def open_tables(arguments: argparse.Namespace, cups: Sequence[Cup], port: int) -> Iterator[Tables]:
    """Lock the folder of the tables and prepare the bots that people may play against."""
    from botequim.engine.thinking_pool import ThinkingPool
    from botequim.tables.folder import TablesFolder
    from botequim.tables.tables import Tables
    from botequim.tables.thinking import Thinking
    from botequim.terminal.savegame import state_folder

    path: Path = arguments.tables or state_folder() / "tables" / str(port)
    with ExitStack() as stack:
        folder = stack.enter_context(closing(TablesFolder(path)))
        offered = _offered_bots(arguments, cups, stack)
        yield Tables(folder, Thinking(ThinkingPool()), offered)


def _offered_bots(arguments: argparse.Namespace, cups: Sequence[Cup], stack: ExitStack) -> OfferedBots:
    """Return the bots that people may play against, which stay prepared until the stack is closed."""
    from botequim.tables.offered_bots import OfferedBots

    wanted: dict[str, dict[str, str]] = {}  # by game, the reference of each bot and the name to show
    for text in arguments.offer:
        game, equals, bot = text.partition("=")
        if not equals or not bot:
            raise InputError(msg('write a bot as GAME=BOT, not "{text}"', text=text))
        wanted.setdefault(registry.game(game).name, {})[bot] = ""
    for cup in cups if arguments.offer_entrants else ():
        for entry in cup.entrants:
            wanted.setdefault(cup.game, {}).setdefault(cup.bot_reference(entry), entry.name)
    entrants: dict[str, dict[str, Entrant]] = {}
    sandboxes = {}
    for game, names in wanted.items():
        programs = [bot for bot in names if not registry.is_player(game, bot)]
        if not programs:
            continue
        ready = stack.enter_context(bots.ready(programs, game, arguments))
        assert ready.sandbox is not None
        if not ready.sandbox.isolates and not arguments.trust:
            raise InputError(msg("bots cannot be isolated here, so they are offered only with --trust"))
        sandboxes[game] = ready.sandbox
        for bot, entrant in zip(programs, ready.entrants, strict=True):
            name = names[bot] or entrant.name
            # records are public, so they do not contain the paths of this machine
            entrants.setdefault(game, {})[name] = replace(entrant, name=name, given=name)
    return OfferedBots(entrants, sandboxes)
