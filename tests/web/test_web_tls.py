"""`botequim serve --tls-cert --tls-key`: by https alone, or a word on why not."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from botequim.cli import main
from botequim.web.qr import qr_svg
from botequim.web.server.serving import addresses
from botequim.web.server.tls import check_tls_files
from tests.support.browser import browser as browser
from tests.support.certificates import openssl, write_certificate
from tests.support.cup_commands import cup
from tests.support.pace import PATIENCE
from tests.support.server_process import TOKEN, looking, play, start_site
from tests.support.server_thread import serving

LEAGUE = '[[stages]]\nname = "liga"\nformat = "round_robin"\ngames = 2\n'


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_certificate(tmp_path_factory.mktemp("tls"), "here")


def test_a_cup_is_served_by_https_alone(pair: tuple[Path, Path], tmp_path: Path, browser: Browser) -> None:
    certificate, key = pair
    path = cup(tmp_path / "copa.toml", {"Ana": "greedy", "Bento": "random"}, stages=LEAGUE)
    play(path, hold=True)
    with start_site(path, words=("--tls-cert", str(certificate), "--tls-key", str(key))) as site:
        assert site.address.startswith("https://")
        trusting = ssl.create_default_context(cafile=certificate)
        with httpx.Client(verify=trusting, base_url=site.address, timeout=PATIENCE) as client:
            logged_in = client.post("/organiser/login", data={"token": TOKEN})
            spoken = client.get("/?lang=pt")
            assert logged_in.status_code == 303
            for answer in (logged_in, spoken):
                assert "; Secure" in answer.headers["set-cookie"]
            assert "log out" in client.get("/organiser?lang=en").text, "the cookie is taken back"
            shown = client.get("/cups/copa/show", headers={"Host": "cup.example:8443"}).text
            assert "https://cup.example:8443/cups/copa" in shown, "as phones need it"
            assert client.get("/cups/copa/qr.svg").text == qr_svg(site.cup())
        with pytest.raises(httpx.TransportError):
            httpx.get(site.address.replace("https:", "http:"), timeout=PATIENCE)
        with looking(browser, ignore_https_errors=True) as page:
            page.goto(site.cup())
            expect(page.locator("#part-standings")).to_be_attached()
            page.context.request.post(
                f"{site.address}/api/cups/copa/curtain",
                headers={"Authorization": f"Bearer {TOKEN}"},
                data={"action": "open"},
            )
            expect(page.locator("#part-podium")).to_contain_text("Ana")


def test_who_never_agrees_on_a_cipher_is_cut_off(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botequim.web.server.serving.HEAD_SECONDS", 0.5)
    path = cup(tmp_path / "copa.toml", {"Ana": "greedy", "Bento": "random"}, stages=LEAGUE)
    with (
        serving(path, secured=check_tls_files(*pair)) as served,
        socket.create_connection(("127.0.0.1", served.port), timeout=50) as silent,  # asyncio gives a minute
    ):
        assert silent.recv(1) == b""


def test_addresses_have_the_name_that_the_certificate_is_for(tmp_path: Path) -> None:
    certificate, key = write_certificate(tmp_path, "named", "DNS:copa.example,DNS:*.example,IP:10.0.0.1")
    found = check_tls_files(certificate, key)
    assert found is not None
    assert addresses("0.0.0.0", 443, found)[0] == "https://copa.example/"
    assert addresses("0.0.0.0", 8443, found)[-1] == "https://127.0.0.1:8443/"
    assert addresses("127.0.0.1", 80, found) == ["https://127.0.0.1:80/"]
    assert check_tls_files(None, None) is None


def refusal(capsys: pytest.CaptureFixture[str], folder: Path, *words: str | Path) -> str:
    path = cup(folder / "copa.toml", {"Ana": "greedy", "Bento": "random"}, stages=LEAGUE)
    assert main(["--lang", "en", "serve", str(path), "--port", "0", *map(str, words)]) == 2
    return " ".join(capsys.readouterr().err.split())


def test_a_pair_that_cannot_be_used_is_named_with_the_remedy(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate, key = pair
    _, other = write_certificate(tmp_path, "other")
    rsa = tmp_path / "rsa.pem"
    openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", rsa)
    by_rsa = tmp_path / "rsa-cert.pem"
    openssl("req", "-x509", "-new", "-key", rsa, "-subj", "/CN=botequim", "-out", by_rsa)
    locked_by, locked = write_certificate(tmp_path, "locked", "IP:127.0.0.1", "-passout", "pass:secret")
    none, odd, broken = tmp_path / "none.pem", tmp_path / "odd.pem", tmp_path / "broken.pem"
    odd.write_text("hello")
    broken.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    told = {
        (certificate, None): "--tls-key FILE",
        (None, key): "--tls-cert FILE",
        (none, key): f"there is no file {none}",
        (certificate, none): f"there is no file {none}",
        (tmp_path, key): f"{tmp_path} cannot be read",
        (odd, key): f"{odd} contains no PEM certificate",
        (certificate, odd): f"{odd} contains no PEM private key",
        (key, certificate): f"{key} contains no PEM certificate",
        (broken, key): f"{broken} and {key} cannot be used",
        (certificate, other): f"{other} is not the key of the certificate in {certificate}",
        (certificate, rsa): f"{rsa} is not the key of the certificate in {certificate}",
        (by_rsa, key): f"{key} is not the key of the certificate in {by_rsa}",
        (locked_by, locked): f"openssl pkey -in {locked}",
    }
    for (one, two), words in told.items():
        given = [*(("--tls-cert", one) if one else ()), *(("--tls-key", two) if two else ())]
        assert words in refusal(capsys, tmp_path, *given)


def test_a_certificate_that_has_expired_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate, key = write_certificate(tmp_path, "old", "IP:127.0.0.1")
    asked = tmp_path / "asked.pem"
    openssl("req", "-new", "-key", key, "-out", asked, "-subj", "/CN=botequim")
    openssl("x509", "-req", "-in", asked, "-signkey", key, "-days", "-1", "-out", certificate)
    said = refusal(capsys, tmp_path, "--tls-cert", certificate, "--tls-key", key)
    assert f"the certificate in {certificate}" in said
    assert "expired" in said
    assert "renew it" in said
