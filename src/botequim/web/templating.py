"""Templates, and the language of a request."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from botequim import i18n
from botequim.i18n import _, _n, number, percent, translate
from botequim.version import VERSION
from botequim.web.cookies import cookie_of, give_cookie
from botequim.web.files import static
from botequim.web.filters import WORDS

COOKIE: Final = "lang"
_WISH: Final = re.compile(
    r"(?P<language>[^\s;]+)\s*(;\s*q\s*=\s*(?P<weight>[01](\.[0-9]{0,3})?))?", re.ASCII | re.IGNORECASE
)

TEMPLATES: Final = Environment(
    loader=PackageLoader("botequim.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.globals |= WORDS
TEMPLATES.globals |= {
    "_": _,
    "_n": _n,
    "translate": translate,
    "number": number,
    "percent": percent,
    "version": VERSION,
}
TEMPLATES.globals["static"] = static


def language_of(request: Request) -> str:
    """Return the language: of the address, of the cookie, or the one that the browser prefers."""
    wishes = [request.query_params.get("lang", ""), cookie_of(request, COOKIE)]
    wishes += _wishes(request.headers.get("accept-language", ""))
    return next((language for wish in wishes if wish and (language := i18n.supported_language(wish))), "en")


def _wishes(header: str) -> list[str]:
    """Return the languages of `Accept-Language`, best first, without invalid ones and those of weight 0."""
    matches = [wish for one in header.split(",") if (wish := _WISH.fullmatch(one.strip()))]
    weights = [(float(wish["weight"] or 1), wish["language"]) for wish in matches]
    return [language for weight, language in sorted(weights, key=lambda one: -one[0]) if weight > 0]


def language_headers(request: Request) -> dict[str, str]:
    """Return the headers for the language of an answer, and for the request headers that it depends on."""
    return {"Content-Language": language_of(request).replace("_", "-"), "Vary": "Accept-Language, Cookie"}


def render_template(template: str, language: str, /, **values: Any) -> str:
    """Return a rendered template. There is no `await` in it, so the language does not change meanwhile."""
    with i18n.use_language(language):
        text = TEMPLATES.get_template(template).render(language=language.replace("_", "-"), **values)
    # bots may send lone surrogates, which cannot be encoded
    return text.encode("utf-8", "replace").decode()


class PageCache:
    """Caches pages that are the same for all readers until the value that they are made of changes."""

    def __init__(self) -> None:
        self._last: Final[dict[tuple[str, str, str], tuple[object, str]]] = {}

    def page(self, request: Request, template: str, name: str, of: object, **values: Any) -> Response:
        """Return the cached page of this name, or render it again if `of` is another object."""
        language = language_of(request)
        cached, text = self._last.get((template, language, name), (None, ""))
        if cached is not of:
            text = render_template(template, language, plays=_plays(request), **values)
            self._last[template, language, name] = (of, text)
        return _response(request, text, language, 200)


def page(request: Request, template: str, /, status: int = 200, **values: Any) -> Response:
    """Return a whole page. A page that has not changed is not sent again."""
    language = language_of(request)
    text = render_template(template, language, request=request, plays=_plays(request), **values)
    return _response(request, text, language, status)


def _plays(request: Request) -> bool:
    """Return whether people play on this server, so that pages link to the tables."""
    return bool(getattr(request.app.state, "plays", False))


def _response(request: Request, text: str, language: str, status: int) -> Response:
    content = text.encode()
    headers = {
        **language_headers(request),
        "Cache-Control": "no-cache",
        "ETag": f'W/"{sha256(content).hexdigest()[:32]}"',
    }
    if status == 200 and headers["ETag"] in request.headers.get("if-none-match", ""):
        answer = Response(status_code=304, headers=headers)
    else:
        answer = HTMLResponse(content, status, headers)
    if "lang" in request.query_params:
        give_cookie(request, answer, COOKIE, language, seconds=31_536_000)
    return answer
