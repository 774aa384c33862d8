"""`botequim serve`: cups in the browser, live."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from botequim import interrupts
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.web.live.house import House

NEEDED = ("fastapi", "jinja2", "multipart", "segno", "uvicorn")
NEW = "new"


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if not all(find_spec(name) for name in NEEDED):
        raise InputError(msg("serving needs what `pip install botequim[web]` brings"))
    from botequim.web.app import create_app
    from botequim.web.door.serving import Server, addresses, bound, open_wide, trusted_proxies
    from botequim.web.door.tls import secured
    from botequim.web.live.house import House
    from botequim.web.live.tables import Hands

    if not 0.05 <= arguments.pace <= 60:
        raise InputError(msg("--pace takes 0.05 to 60 seconds"))
    proxies = trusted_proxies(arguments.trusted_proxy)
    pair = secured(arguments.tls_cert, arguments.tls_key)
    house = House(arguments.cups, Hands(arguments.hands))
    listening = bound(arguments.host, arguments.port)
    port = listening.getsockname()[1]
    known = addresses(arguments.host, port, pair)
    token = interrupts.run(_token(house, arguments.token))
    app = create_app(house, pace=arguments.pace, address=known[0])
    open_wide()
    server = Server(app, lambda: _say(known, token), pair, proxies)
    try:
        interrupts.run(server.serve([listening]))
    except KeyboardInterrupt:
        if not server.started:
            raise
    print()
    return 0 if server.started else 1


async def _token(house: House, given: str | None) -> str | None:
    """The token that is to be told, if there is a new one. All cups that have none get the same."""
    from botequim.web.pages.organiser import SHORTEST_TOKEN, has_token, keep_token, new_token

    if given is not None and given != NEW and len(given) < SHORTEST_TOKEN:
        raise InputError(
            msg("a token that short can be guessed: take at least {n} characters", n=SHORTEST_TOKEN)
        )
    token = new_token() if given in (None, NEW) else given
    assert token is not None
    without = [one for one in house.cups.values() if given is not None or not await has_token(one)]
    for hosted in without:
        await keep_token(hosted, token)
    return token if without else None


def _say(known: list[str], token: str | None) -> None:
    """Where to look, once it is there to be looked at."""
    for address in known:
        print(_("serving at {address}", address=address))
    if token is not None:
        print(_("for the organiser alone: {address}", address=f"{known[-1]}organiser?token={token}"))
    else:
        print(_("for the organiser: {address} (a new token: --token new)", address=f"{known[-1]}organiser"))
    if sys.stdout.isatty():
        import segno

        segno.make(known[0], micro=False).terminal(compact=True)
    print(_("Ctrl-C ends it."), flush=True)
