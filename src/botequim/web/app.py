"""The application: every route, behind the same guard."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from botequim.version import VERSION
from botequim.web import pages, reading
from botequim.web.house import House
from botequim.web.safety import Guarded
from botequim.web.talk import page


def create_app(house: House) -> FastAPI:
    """A server of these cups."""
    app = FastAPI(
        title="Botequim", version=VERSION, openapi_url="/api/openapi.json", docs_url=None, redoc_url=None
    )
    app.state.house = house
    app.add_middleware(Guarded)
    app.mount("/static", StaticFiles(packages=[("botequim.web", "static")]), name="static")
    app.include_router(pages.router)
    app.include_router(reading.router)
    app.add_exception_handler(HTTPException, _explained)
    return app


async def _explained(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": error.detail}, error.status_code, error.headers)
    return page(request, "error.html", error.status_code, status_code=error.status_code)
