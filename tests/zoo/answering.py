"""Animals that answer late, early, twice, by halves, or what nobody asked for."""

from __future__ import annotations

from typing import Final

from tests.zoo.animal import Animal, crash, everywhere, illegal, malformed, plays_on, timeout

ANSWERING: Final = (
    Animal("hangs at its start", "trava ao começar",
        """
def start():
    hang()
""",
        everywhere(timeout()) | {"cubos": timeout("does not listen on port")}),
    Animal("hangs in its third move", "trava na terceira jogada",
        """
def think(turn):
    if turn == 3:
        write(b"thinking", to=2)
        hang()
""",
        everywhere(timeout(at=3, stderr="thinking"))),
    Animal("answers late", "responde tarde",
        """
def think(turn):
    spend()
""",
        everywhere(timeout())),
    Animal("answers twice", "responde duas vezes",
        """
def line(text):
    return (text + "\\n" + text + "\\n").encode()

def said(text):
    return (text + "\\n" + text).encode()

def respond(connection, body):
    whole = json.dumps(json.loads(body.splitlines()[0])).encode()
    connection.sendall((head("200 OK", f"Content-Length: {len(whole)}") + whole) * 2)
    return True
""",
        {"uno": plays_on("before the question were dropped"), "cubos": plays_on("was discarded"),
         "rps": malformed("more in the answer than one JSON object")}),
    Animal("answers before it is asked", "responde antes da pergunta",
        """
def line(text):
    return (text + "\\nDISCARD 2♥\\n").encode()

def accepted(connection):
    connection.sendall(head("200 OK", "Content-Length: 7") + b"too bad")

def start():
    if "student_players" in sys.modules:
        for descriptor in range(3, 10):
            try:
                os.write(descriptor, b"0\\t\\n")
            except OSError:
                pass
""",
        {"uno": plays_on("before the question were dropped"), "cubos": malformed(),
         "havana": crash("did not start correctly")}),
    Animal("forges its host's answer", "forja a resposta do programa que o hospeda",
        """
def think(turn):
    for descriptor in range(3, 10):
        try:
            os.write(descriptor, b"forged\\n")
        except OSError:
            pass
""",
        {"havana": malformed("wrote an unexpected line", answer="forged")}),
    Animal("makes its host send invalid data", "faz o programa que o hospeda enviar dados inválidos",
        """
def start():
    sys.modules["__main__"].answer_line = lambda answer: "nonsense"
""",
        {"havana": malformed("wrote an unexpected line", answer="nonsense")}),
    Animal("empties its hand and the history", "esvazia a mão e o histórico",
        """
def returned(side, tile):
    frame = sys._getframe(1)
    frame.f_locals["play_hist"].clear()
    frame.f_locals["self"]._tiles.clear()
    return side, tile
""",
        {"havana": plays_on()}),
    Animal("sends half of its answer", "envia só metade da resposta",
        """
def line(text):
    write(text[: len(text) // 2].encode())
    hang()

def said(text):
    return text[: len(text) // 2].encode()

def respond(connection, body):
    connection.sendall(head("200 OK", f"Content-Length: {2 * len(body)}") + body)
    hang()
""",
        {"uno": timeout("no end of line"), "cubos": timeout(answer="pedra"), "rps": malformed("not JSON")}),
    Animal("never ends its line", "nunca termina a linha",
        """
def line(text):
    write(text.encode())
    late()
    return b""
""",
        {"uno": timeout("no end of line", answer="DISCARD")}),
    Animal("answers in invalid UTF-8", "responde em UTF-8 inválido",
        """
def line(text):
    return b"DISCARD \\xff\\xfe\\n"

def said(text):
    return b'{"pedra": "\\xff", "move": "\\xff"}'

def returned(side, tile):
    return "\\udcff", tile
""",
        {"uno": malformed(), "cubos": malformed("not UTF-8"), "rps": malformed("not UTF-8"),
         "havana": plays_on()}),
    Animal("answers with half a character", "responde com meio caractere",
        """
def said(text):
    return b'{"pedra": "\\\\ud800", "move": "\\\\ud800"}'
""",
        {"cubos": malformed("not a tile"), "rps": malformed("it must be")}),
    Animal("answers with huge numbers", "responde com números enormes",
        """
def line(text):
    return b"BUY " + b"9" * 5000 + b"\\n"

def said(text):
    return b'{"pedra": %b, "move": %b}' % (b"9" * 5000, b"9" * 5000)

def returned(side, tile):
    return 10**5000, tile
""",
        {"uno": malformed("BUY needs a number"), "cubos": malformed("not JSON"), "rps": malformed("not JSON"),
         "havana": plays_on("side")}),
    Animal("answers NaN", "responde NaN",
        """
def line(text):
    return b"BUY NaN\\n"

def said(text):
    return b'{"pedra": NaN, "move": NaN}'

def returned(side, tile):
    return float("nan"), tile
""",
        {"uno": malformed("BUY needs a number"), "cubos": malformed("NaN"), "rps": malformed("NaN"),
         "havana": plays_on("side")}),
    Animal("answers with 10,000 levels of nesting", "responde com 10.000 níveis de JSON",
        """
def said(text):
    return b'{"move": ' + b"[" * 10000 + b"]" * 10000 + b"}"

def returned(side, tile):
    deep = ()
    for _ in range(10000):
        deep = (deep,)
    return side, deep
""",
        {"cubos": malformed("too many levels"), "rps": malformed("too many levels"),
         "havana": illegal("is not a tile")}),
    Animal("answers in wrong types", "responde com tipos errados",
        """
def line(text):
    return b"DISCARD\\n"

def said(text):
    return b'{"pedra": [3, 6], "move": ["ROCK"]}'

def returned(side, tile):
    return {"side": side, "tile": tile}
""",
        {"uno": malformed("names no card"), "cubos": malformed("must be a text"),
         "rps": malformed("it must be"), "havana": malformed("not (side, tile)")}),
    Animal("plays an unknown piece", "joga uma pedra ou carta que não existe",
        """
def line(text):
    return "DISCARD 99♥\\n".encode()

def said(text):
    return b'{"pedra": "9-9", "lado": "direita", "move": "LIZARD"}'

def returned(side, tile):
    return side, (9, 12)
""",
        everywhere(malformed()) | {"havana": illegal("(9, 12) is not a tile")}),
    Animal("plays what it does not hold", "joga o que não tem na mão",
        """
def line(text):
    return f"DISCARD {sys.modules['__main__'].top}\\n".encode() if text[0] == "B" else line_of_another()

def line_of_another():
    hand = sys.modules["__main__"].hand
    return next(f"DISCARD {n}♥\\n" for n in range(2, 11) if f"{n}♥" not in hand).encode()

def said(text):
    return b'{"pedra": "6-6", "lado": "direita"}'
""",
        {"uno": illegal(), "cubos": illegal()}),
    Animal("writes to the terminal in its answer", "escreve no terminal pela resposta",
        """
def think(turn):
    write(b"\\x1b[2J\\x1b]0;owned\\x07", to=2)

def line(text):
    return b"DISCARD \\x1b[2J\\n"

def said(text):
    return json.dumps({"pedra": "\\x1b[2J", "move": "\\x1b[2J"}).encode()

def returned(side, tile):
    raise ValueError("\\x1b[2J")
""",
        everywhere(malformed(stderr="owned")) | {"havana": crash("ValueError", stderr="owned")}),
    Animal("raises an error that cannot be printed", "lança um erro que não pode ser escrito",
        """
class Evil(BaseException):
    def __str__(self):
        raise self

    __repr__ = __str__

def returned(side, tile):
    raise Evil
""",
        {"havana": crash("Evil")}),
    Animal("reads its input for ever", "lê a entrada para sempre",
        """
def think(turn):
    if "hand" in vars(sys.modules["__main__"]):
        late()
    sys.stdin.read()
""",
        {"uno": timeout(), "cubos": plays_on(), "rps": plays_on(), "havana": plays_on()}),
    Animal("closes its input", "fecha a entrada",
        """
def afterwards(turn):
    os.close(0)
    if "hand" in vars(sys.modules["__main__"]):
        hang()
""",
        {"uno": timeout(at=2), "rps": plays_on()}),
)  # fmt: skip
"""What is asked is in `bodies/`; how each game takes a fault is in its rules."""
