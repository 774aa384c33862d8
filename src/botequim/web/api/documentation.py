"""The sentences of the API's schema, which its page shows in the reader's language.

The schema itself is English. `scripts/messages.py` collects these sentences for translation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fastapi import FastAPI

from botequim.web.api import changes, cups, votes

METHODS: Final = ("get", "post", "put", "delete")


def api_schema() -> dict[str, Any]:
    """Return the schema of the API, without a server."""
    app = FastAPI()
    app.include_router(votes.router)
    app.include_router(changes.router)
    app.include_router(cups.router)
    return app.openapi()


def schema_texts(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield every description that the page of the API shows."""
    calls = [item[method] for item in schema["paths"].values() for method in METHODS if method in item]
    for call in calls:
        yield call.get("description") or call.get("summary", "")
        yield from _descriptions(call.get("parameters", ()))
        yield from _descriptions(call.get("responses", {}).values())
    for model in schema.get("components", {}).get("schemas", {}).values():
        yield model.get("description", "")
        yield from _descriptions(model.get("properties", {}).values())


def _descriptions(parts: Any) -> Iterator[str]:
    return (part.get("description", "") for part in parts)
