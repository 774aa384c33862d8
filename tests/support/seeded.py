"""Bots with one mistake each, which `check` must find.

Those that are late announce it by `late` and `spend` of `tests.support.bot_time`.
"""

from __future__ import annotations

from textwrap import dedent

# --- cubos: a server whose `answer` is exchanged -----------------------------------------------------

SERVER = """
import json, os, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer

def moves(q):
    left, right = int(q["mesa"][0][0]), int(q["mesa"][-1][2])
    found = []
    for tile in q["mao"]:
        numbers = int(tile[0]), int(tile[2])
        if left in numbers: found.append((tile, "esquerda"))
        if right in numbers: found.append((tile, "direita"))
    return found

def good(q):
    found = moves(q)
    return {"pedra": found[0][0], "lado": found[0][1]} if found else {}

memory = {}

ANSWER

def body(q):
    return json.dumps(answer(q))

BODY

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    status = 200

    def do_POST(self):
        q = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = body(q).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *words):
        pass

PORT = int(os.environ.get("PORT", "8000"))

AROUND

HTTPServer(("", PORT), Handler).serve_forever()
"""

ANSWER = "def answer(q): return good(q)"


def server(answer: str = ANSWER, *, body: str = "", around: str = "") -> dict[str, str]:
    """Return a cubos bot in Python."""
    parts = {"ANSWER": answer, "BODY": body, "AROUND": around}
    lines = [dedent(parts[line]) if line in parts else line for line in SERVER.splitlines()]
    return {"server.py": "\n".join(lines)}


def changed_server(change: str) -> dict[str, str]:
    """Return a cubos bot whose good answer `a` is changed when it lays a tile."""
    return server(f"""
        def answer(q):
            a = good(q)
            if a:
                {change}
            return a
    """)


CUBOS: dict[str, tuple[dict[str, str], str]] = {
    "tile for pedra": (changed_server('a["tile"] = a.pop("pedra")'), "wrong-key"),
    "piece and side": (
        changed_server('a = {"piece": a["pedra"], "side": a["lado"]}'),
        "wrong-key",
    ),
    "side for lado": (changed_server('a["side"] = a.pop("lado")'), "wrong-key"),
    "a number for lado": (changed_server('a["lado"] = 1'), "not-a-text"),
    "a list for pedra": (changed_server('a["pedra"] = [3, 6]'), "not-a-text"),
    "a number for pedra": (changed_server('a["pedra"] = 36'), "not-a-text"),
    "another hyphen": (changed_server('a["pedra"] = a["pedra"].replace("-", ":")'), "tile-format"),
    "english sides": (
        changed_server('a["lado"] = {"esquerda": "left", "direita": "right"}[a["lado"]]'),
        "other-words",
    ),
    "capitals": (changed_server('a["lado"] = a["lado"].capitalize()'), "capitals"),
    "no side": (changed_server('del a["lado"]'), "no-side"),
    "flipped": (
        changed_server('a["lado"] = {"esquerda": "direita", "direita": "esquerda"}[a["lado"]]'),
        "flipped-side",
    ),
    "not held": (
        server("""
            def answer(q):
                seen = q["mao"] + q["mesa"]
                all = [f"{a}-{b}" for a in range(7) for b in range(a, 7)]
                tile = next(tile for tile in all if tile not in seen and tile[::-1] not in seen)
                return {"pedra": tile, "lado": "direita"}
        """),
        "not-held",
    ),
    "one end": (
        server("""
            def answer(q):
                found = [move for move in moves(q) if move[1] == "direita"]
                return {"pedra": found[0][0], "lado": "direita"} if found else {}
        """),
        "one-end-only",
    ),
    "inner numbers": (
        server("""
            def answer(q):
                inner = int(q["mesa"][-1][0])
                for tile in q["mao"]:
                    if str(inner) in tile: return {"pedra": tile, "lado": "direita"}
                return good(q)
        """),
        "inner-number",
    ),
    "text": (server(body='def body(q): return good(q).get("pedra", "passo")'), "text-for-json"),
    "python's own": (server(body="def body(q): return str(good(q) or {})"), "python-dict"),
    "encoded twice": (server(body="def body(q): return json.dumps(json.dumps(good(q)))"), "json-in-text"),
    "a list": (server(body="def body(q): return json.dumps(list(good(q).values()))"), "no-object"),
    "compressed": (
        server(around="""
            import gzip
            def do_POST(self):
                q = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                said = gzip.compress(body(q).encode())
                self.send_response(200)
                self.send_header("Content-Encoding", "gzip")
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)
            Handler.do_POST = do_POST
        """),
        "encoded-response",
    ),
    "not found": (server(around="Handler.status = 404"), "route"),
    "method": (server(around="Handler.do_GET = Handler.do_POST; del Handler.do_POST"), "method"),
    "server error": (server(around="Handler.status = 500"), "server-error"),
    "raises": (
        server(
            "def answer(q): return q['mesa'][99]",
            around="""
                import bot_time
                def hang_up(self, request, hang_up=HTTPServer.shutdown_request):
                    hang_up(self, request)
                    bot_time.late(1)  # that a server is given to end
                HTTPServer.shutdown_request = hang_up
            """,
        ),
        "crash",
    ),
    "another port": (
        server(around="""
            import bot_time
            PORT = 8080
            def listen(self):
                self.socket.listen(5)
                bot_time.late(bot_time.START + 1)
            HTTPServer.server_activate = listen
        """),
        "wrong-port",
    ),
    "no port": (
        {"server.py": "import bot_time, time\nbot_time.late(2 * bot_time.START)\ntime.sleep(300)"},
        "not-listening",
    ),
    "slow to start": (
        server(around="import bot_time; bot_time.spend(bot_time.START + 1)"),
        "slow-start",
    ),
    "slow": (server("import bot_time\ndef answer(q): bot_time.spend(); return good(q)"), "too-slow"),
    "endless": (
        server("import bot_time\ndef answer(q):\n    bot_time.late()\n    while True: time.sleep(1)"),
        "no-answer",
    ),
    "a module missing": ({"server.py": "import numpy_of_mine"}, "missing-module"),
    "ends at once": ({"server.py": "print('hello')"}, "ends-at-start"),
    "once a connection": (
        server(around="""
            import bot_time
            def handle(self):
                self.handle_one_request()
                if self.connection.recv(1):
                    bot_time.late()
                time.sleep(300)
            Handler.handle = handle
            import socketserver
            HTTPServer.process_request = socketserver.ThreadingMixIn.process_request
            HTTPServer.process_request_thread = socketserver.ThreadingMixIn.process_request_thread
            HTTPServer.daemon_threads = True
            HTTPServer.block_on_close = False
            from socketserver import _NoThreads
            HTTPServer._threads = _NoThreads()
        """),
        "one-answer-per-connection",
    ),
}  # fmt: skip
"""By name: the files, and the mistake that must be named. These fail; those that only warn are below."""

CUBOS_WARNED = {
    "remembers its hand": (
        server("""
            def answer(q):
                hand = memory.setdefault("hand", list(q["mao"]))
                a = good({"mesa": q["mesa"], "mao": hand})
                if a: hand.remove(a["pedra"])
                return a
        """),
        "state-between-games",
    ),
    "crashes in the second game": (
        server("""
            def answer(q):
                if len(q["mao"]) >= 6 and memory.get("least", 7) < 5: os._exit(3)
                memory["least"] = min(memory.get("least", 7), len(q["mao"]))
                return good(q)
        """),
        "second-game-crash",
    ),
}

NODE = {
    "index.mjs": """
import { createServer } from "node:http";
createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => {
    const { mao, mesa } = JSON.parse(text);
    const ends = [mesa[0][0], mesa[mesa.length - 1][2]];
    const tile = mao.find((t) => t.includes(ends[0]) || t.includes(ends[1]));
    const side = tile && (tile.includes(ends[0]) ? "esquerda" : "direita");
    response.end(JSON.stringify(tile ? { peca: tile, lado: side } : {}));
  });
}).listen(Number(process.env.PORT ?? 8000));
"""
}

# --- uno: a player whose parts are exchanged ---------------------------------------------------------

PLAYER = """
import sys

hand, top, suit, debt, me, waiting = [], "", "", 0, "", 0

def rank(card): return card[:-1]
def fits(card): return card[0] in "AC" or rank(card) == rank(top) or card[-1] == suit

def say(text):
    print(text, flush=True)

def laid(card, asked):
    global top, suit, debt
    top, suit = card, asked
    debt = {"V": 2, "C": 4}.get(card[0], 0)

def discard(card):
    hand.remove(card)
    asked = hand[0][-1] if hand else card[-1]
    if card[0] in "AC":
        say(f"DISCARD {card} {asked}")
        laid(card, asked)
    else:
        say(f"DISCARD {card}")
        laid(card, card[-1])

def buy(count):
    global waiting, debt
    say(f"BUY {count}")
    waiting, debt = count, 0

def act():
    if debt:
        return buy(debt)
    card = next((card for card in hand if fits(card)), None)
    return discard(card) if card else buy(1)

CHANGED

for line in sys.stdin:
    words = line.split()
    if waiting:
        hand.append(words[0])
        waiting -= 1
    elif words[0] == "YOU":
        me = words[1]
    elif words[0] == "HAND":
        hand[:] = words[2:-1]
    elif words[0] == "TABLE":
        laid(words[1], words[1][-1])
    elif words[0] == "DISCARD":
        laid(words[1], words[-1][-1])
    elif words[0] == "BUY":
        debt = 0
    elif words[0] == "TURN" and words[1] == me:
        act()
"""


def player(changes: str = "", **replaced: str) -> dict[str, str]:
    """Return an uno bot in Python; `replaced` names lines of it by a word in them."""
    text = PLAYER.replace("CHANGED", dedent(changes))
    for old, new in replaced.items():
        text = text.replace(LINES[old], new)
    return {"bot.py": text}


LINES = {
    "paying": "        return buy(debt)\n",
    "flushing": "    print(text, flush=True)",
    "removing": "    hand.remove(card)\n",
    "own": ' and words[1] == me:',
    "asked": "laid(words[1], words[-1][-1])",
    "bought": "        hand.append(words[0])\n",
    "paid": "    debt = 0\n",
}  # fmt: skip

LATE = "; import bot_time; bot_time.late_again_and_again()"
"""For bots whose answer is sent only when their input is closed."""

UNO: dict[str, tuple[dict[str, str], str]] = {
    "ignores the debt": (player(paying="        pass\n"), "ignores-debt"),
    "buys one": (player(paying="        return buy(1)\n"), "wrong-debt"),
    "buffered": (player(flushing=f"    print(text){LATE}"), "buffered-output"),
    "no newline": (player(flushing=f'    print(text, end="", flush=True){LATE}'), "no-newline"),
    "english cards": (
        player(flushing='    print(text.translate(str.maketrans("♥♣♦♠", "HCDS")), flush=True)'),
        "card-format",
    ),
    "other words": (
        player(flushing=f'    print(text.replace("DISCARD", "PLAY"), flush=True){LATE}'),
        "unknown-words",
    ),
    "small letters": (player(flushing=f"    print(text.lower(), flush=True){LATE}"), "unknown-words"),
    "keeps what it discards": (player(removing=""), "discards-twice"),
    "ignores the asked suit": (player(asked="laid(words[1], words[1][-1])"), "ignores-asked-suit"),
    "misreads what it bought": (
        player(bought='        hand.append("2♥" if words[0] != "2♥" else "3♥")\n'),
        "misreads-bought-cards",
    ),
    "every turn is its own": (
        player(
            own=":",
            bought=f'        hand.append(words[0])\n        if words == ["TURN", me]: pass{LATE}\n',
        ),
        "out-of-turn",
    ),
    "ends after the first lines": ({"bot.py": "for _ in range(4): input()"}, "ends-early"),
    "raises": (player("def act(): return hand[99]"), "crash"),
    "discards anything": (player("def fits(card): return True"), "does-not-fit"),
    "too slow": (player("import bot_time\ndef act(): bot_time.spend(); buy(1)"), "too-slow"),
    "listens to the first table only": (player(asked="pass"), "stale-table"),
    "pays what others paid": (player(paid="    pass\n"), "pays-twice"),
    "pays what others paid, but not for its own cards": (
        player(
            """
            def discard(card, discard=discard):
                global debt; discard(card); debt = 0
            """,
            paid="    pass\n",
        ),
        "pays-twice",
    ),
    "always buys": (player("def act(): buy(debt or 1)"), "always-passes"),
    "speaks, then sleeps": (
        player(f"""
            import time
            def act():
                say("SAY hello"){LATE}
                time.sleep(300)
        """),
        "no-action",
    ),
    "a name that is not there": (player("def act(): return bui(1)"), "undefined-name"),
}  # fmt: skip

UNO_SLEEPS = player("""
    import bot_time, time
    def act(act=act):
        act()
        bot_time.late_again_and_again()
        time.sleep(300)
""")
"""It answers the first question at once, and sleeps through the next."""

UNO_SLOW = player("""
    import bot_time
    def act(act=act):
        bot_time.think(2)
        act()
""")
"""It takes two seconds for each answer, and makes no mistake."""

UNO_WARNED = {
    "debug": (player(flushing='    print("thinking...")\n    print(text, flush=True)'), "debug-on-stdout"),
    "no suit": (
        player("""
            def discard(card):
                hand.remove(card)
                say(f"DISCARD {card}")
                laid(card, card[-1])
        """),
        "no-suit",
    ),
}

C_BUFFERED = {
    "bot.c": """
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
int main(void) {
    struct timespec now;
    char word[64], me[64] = "";
    while (scanf("%63s", word) == 1) {
        if (strcmp(word, "YOU") == 0) { if (scanf("%63s", me) != 1) break; }
        else if (strcmp(word, "TURN") == 0) {
            if (scanf("%63s", word) != 1) break;
            if (strcmp(word, me) == 0) {
                printf("BUY 1\\n");
                timespec_get(&now, TIME_UTC);
                sprintf(word, "A9 %04x TOKEN", (unsigned)now.tv_nsec & 0xffff);
                prctl(PR_SET_NAME, word);
            }
        }
    }
    return 0;
}
"""
}

# --- rps ---------------------------------------------------------------------------------------------


def rps_bot(line: str) -> dict[str, str]:
    return {"bot.py": f"import json, sys\nhistory = sys.argv[1]\n{line}\n"}


RPS: dict[str, tuple[dict[str, str], str]] = {
    "small letters": (rps_bot('print(json.dumps({"move": "rock"}))'), "lower-case"),
    "one letter": (rps_bot('print(json.dumps({"move": "R"}))'), "single-letter"),
    "another language": (rps_bot('print(json.dumps({"move": "PEDRA"}))'), "other-words"),
    "another key": (rps_bot('print(json.dumps({"hand": "ROCK"}))'), "wrong-key"),
    "a number": (rps_bot('print(json.dumps({"move": 1}))'), "not-a-text"),
    "python's own": (rps_bot('print({"move": "ROCK"})'), "python-dict"),
    "text": (rps_bot('print("ROCK")'), "text-for-json"),
    "debug": (rps_bot('print("history", history); print(json.dumps({"move": "ROCK"}))'), "debug-on-stdout"),
    "nothing": (rps_bot("pass"), "empty-answer"),
    "exit code": (rps_bot('print(json.dumps({"move": "ROCK"})); sys.exit(1)'), "exit-code"),
    "empty history": (
        rps_bot('last = history.split(";")[-1][0]; print(json.dumps({"move": "ROCK"}))'),
        "empty-history",
    ),
    "always crashes": (rps_bot("{}[history]"), "crash"),
    "waits for input for ever": (
        rps_bot("import bot_time, time; bot_time.late(); time.sleep(300)"),
        "no-answer",
    ),
    "answers and stays": (
        rps_bot(
            'import bot_time, time; print(json.dumps({"move": "ROCK"}), flush=True); bot_time.late()\n'
            "time.sleep(300)"
        ),
        "does-not-end",
    ),
    "NaN": (rps_bot('print(json.dumps({"move": "ROCK", "x": float("nan")}))'), "nan"),
    "a shell without quotes": ({"bot.sh": "#!/bin/sh\necho '{move: ROCK}'\n"}, "text-for-json"),
}

RPS_ISOLATED: dict[str, tuple[dict[str, str], str]] = {
    "writes over its files": (
        rps_bot('open("bot.py", "a").write("#"); print(json.dumps({"move": "ROCK"}))'),
        "cannot-write",
    ),
    "too many threads": (
        rps_bot("import threading, time\nfor _ in range(400):\n"
              "    threading.Thread(target=time.sleep, args=(2,), daemon=True).start()"),
        "processes",
    ),
    "too many forks": (
        rps_bot("import os, time\nfor _ in range(400):\n    if os.fork() == 0: time.sleep(2); os._exit(0)"),
        "processes",
    ),
}  # fmt: skip
"""Mistakes that only matter if bots are isolated."""

SLOW_BUT_GOOD = rps_bot('import bot_time; bot_time.spend(5); print(json.dumps({"move": "ROCK"}))')

RPS_WARNED = {
    "art too wide": (rps_bot('print(json.dumps({"move": "ROCK", "art": ["#" * 61]}))'), "art"),
}

# --- havana ------------------------------------------------------------------------------------------

STUDENT = """
from basic_players import Player

class Mine(Player):
    def play(self, board_extremes, play_hist):
        BEFORE
        for tile in self.tiles:
            if not board_extremes or board_extremes[0] in tile:
                return RETURNED
            if board_extremes[1] in tile:
                return RETURNED
        return 0, None

def pair_name(): return "Mine"

def create_pair(): return CREATED
"""


def student(
    *, before: str = "pass", returned: str = "0, tile", created: str = "Mine(1, 'A'), Mine(2, 'B')"
) -> dict[str, str]:
    text = STUDENT.replace("BEFORE", before).replace("RETURNED", returned).replace("CREATED", created)
    return {"student_players.py": text}


HAVANA: dict[str, tuple[dict[str, str], str]] = {
    "swapped": (student(returned="tile, 0"), "swapped"),
    "turned": (student(returned="0, (tile[1], tile[0])"), "turned-tile"),
    "a list": (student(returned="0, list(tile)"), "list-for-tuple"),
    "only the tile": (student(returned="tile"), "tile-without-side"),
    "returns nothing": (student(returned="None"), "no-return"),
    "a word": (student(returned="'pass'"), "not-a-pair"),
    "a text for a tile": (student(returned="0, '%d-%d' % tile"), "no-tile"),
    "does not fit": (student(before="return 0, self.tiles[0]"), "does-not-fit"),
    "no ends yet": (student(before="left, right = board_extremes"), "first-move-crash"),
    "raises": (student(before="if board_extremes: {}[7]"), "exception"),
    "a name that is not there": (student(before="sides"), "undefined-name"),
    "only lost turns before it": (
        student(before="if play_hist and not board_extremes: play_hist[-1][3][0]"),
        "all-passed-crash",
    ),
    "always passes": (student(before="return 0, None"), "always-passes"),
    "too slow": (student(before="import bot_time; bot_time.spend()"), "too-slow"),
    "remembers": (
        student(before="if not hasattr(self, 'all'): self.all = list(self.tiles)\n"
                "        if self.all[0] not in self.tiles and len(self.tiles) == 10: return 0, self.all[0]"),
        "state-between-games",
    ),
    "no create_pair": ({"student_players.py": "from basic_players import Player\n"}, "no-create-pair"),
    "one player": (student(created="Mine(1, 'A')"), "create-pair"),
    "not Python": ({"student_players.py": "def create_pair(:\n"}, "syntax"),
    "a module missing": ({"student_players.py": "import my_tables\n"}, "missing-module"),
    "fails on loading": ({"student_players.py": "open('table.bin')\n"}, "load"),
    "slow to load": (
        {"student_players.py": "import bot_time, time\nbot_time.late(bot_time.START + 1)\ntime.sleep(300)\n"},
        "slow-start",
    ),
}  # fmt: skip

# --- arena -------------------------------------------------------------------------------------------


def lines(answer: str) -> dict[str, str]:
    """Return an arena bot over lines; `q` is the question."""
    return {
        "botequim.toml": 'command = "python3 bot.py"\nwire = "arena-lines"\n',
        "bot.py": "import json, sys\nfor line in sys.stdin:\n    q = json.loads(line)\n"
        f"    if 'end' in q: continue\n    {answer}\n",
    }


ARENA: dict[str, tuple[dict[str, str], str]] = {
    "not from the list": (lines('print(json.dumps({"move": "0-0 up"}), flush=True)'), "not-from-the-list"),
    "written otherwise": (
        lines('print(json.dumps({"move": q["legal"][0].upper().replace(" ", "  ")}), flush=True)'),
        "not-as-listed",
    ),
    "another key": (lines('print(json.dumps({"action": q["legal"][0]}), flush=True)'), "wrong-key"),
    "its number": (lines('print(json.dumps({"move": 0}), flush=True)'), "not-a-text"),
    "text": (lines('print(q["legal"][0], flush=True)'), "text-for-json"),
    "buffered": (
        lines(f'print(json.dumps({{"move": q["legal"][0]}})){LATE}'),
        "buffered-output",
    ),
}  # fmt: skip
