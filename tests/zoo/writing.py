"""Animals that write too much, hang up, or end."""

from __future__ import annotations

from typing import Final

from tests.zoo.animal import Animal, crash, everywhere, limit, malformed, plays_on, timeout

WRITING: Final = (
    Animal("writes 100 MB", "escreve 100 MB",
        """
def think(turn):
    for _ in range(100 if turn == 1 else 0):
        write(b"x" * (1 << 20))

def respond(connection, body):
    connection.sendall(head("200 OK", "Content-Length: 104857600"))
    for _ in range(100):
        connection.sendall(b"x" * (1 << 20))
""",
        everywhere(limit("longer than the limit")) | {"havana": plays_on()}),
    Animal("floods its log", "inunda o próprio log",
        """
def think(turn):
    for _ in range(8 if turn < 3 else 0):
        write(b"y" * (1 << 20), to=2)
""",
        everywhere(plays_on())),
    Animal("says 10,000 things", "diz 10.000 coisas",
        """
def line(text):
    return b"SAY hello\\n" * 10000 + text.encode() + b"\\n"
""",
        {"uno": plays_on("only the first")}),
    Animal("talks all the time", "fala o tempo todo",
        """
def start():
    threading.Thread(target=talk, daemon=True).start()

def talk():
    while True:
        write(b"SAY still here\\n")
        time.sleep(0.001)
""",
        {"uno": plays_on()}),
    Animal("closes its output", "fecha a saída",
        """
def write(raw, to=1):
    os.close(1)
    hang()

def think(turn):
    if "student_players" in sys.modules:
        os.closerange(1, 2)
""",
        # in the sandbox its output is also held by what waits for its end
        {"uno": timeout(), "cubos": plays_on(), "rps": timeout(), "havana": plays_on()},
        elsewhere={"none": {"uno": crash("closed its output")}}),
    Animal("closes all it has open", "fecha tudo o que tem aberto",
        """
def think(turn):
    os.closerange(0, 100)
    os._exit(5)
""",
        everywhere(crash(exit="5"))),
    Animal("ends without an answer", "termina sem responder",
        """
def think(turn):
    os._exit(0)
""",
        {"uno": crash("exit code 0"), "cubos": crash(exit="0"), "rps": malformed("empty"),
         "havana": crash("exit code 0")},
        # an engine may take longer to tell the exit code than is waited for
        elsewhere={"container": {"uno": crash()}}),
    Animal("ends as if it had been killed", "termina como se o tivessem matado",
        """
def think(turn):
    os._exit(137)
""",
        everywhere(crash())),
    Animal("dies of a segmentation fault", "morre por falha de segmentação",
        """
def think(turn):
    os.kill(os.getpid(), signal.SIGSEGV)
""",
        everywhere(crash(exit="-11"))),
    Animal("kills itself", "mata a si mesmo",
        """
def think(turn):
    os.kill(os.getpid(), signal.SIGKILL)
""",
        everywhere(crash(exit="-9"))),
    Animal("leaves by SystemExit", "sai por SystemExit",
        """
def think(turn):
    sys.exit("I give up")
""",
        everywhere(crash(exit="1", stderr="I give up")) | {"havana": crash("SystemExit: I give up")}),
    Animal("stops itself", "para a si mesmo",
        """
def think(turn):
    late()
    os.kill(os.getpid(), signal.SIGSTOP)
""",
        everywhere(timeout())),
    Animal("traps every signal", "ignora todos os sinais",
        """
def start():
    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass

def think(turn):
    hang()
""",
        everywhere(timeout())),
)  # fmt: skip
