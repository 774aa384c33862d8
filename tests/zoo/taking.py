"""Animals that take more than is theirs: processes, memory, room, the processor."""

from __future__ import annotations

from typing import Final

from tests.zoo.animal import Animal, crash, everywhere, limit, plays_on, timeout

UNCOUNTED: Final = "bubblewrap without groups"
"""Where the kernel only refuses, and does not tell us that it did."""

TAKING: Final = (
    Animal("is a fork bomb", "é uma bomba de processos",
        """
def think(turn):
    late()
    while True:
        try:
            os.fork()
        except OSError:
            pass
""",
        everywhere(timeout()), isolated=True),
    Animal("has too many children", "tem filhos demais",
        """
def think(turn):
    while True:
        if os.fork() == 0:
            hang()
""",
        everywhere(limit("more processes", limit="processes")) | {"havana": crash("BlockingIOError")},
        isolated=True, elsewhere={UNCOUNTED: everywhere(crash(stderr="BlockingIOError"))}),
    Animal("has too many threads", "tem threads demais",
        """
def think(turn):
    while True:
        threading.Thread(target=hang, daemon=True).start()
""",
        everywhere(limit("more processes", limit="processes")) | {"havana": crash("can't start new thread")},
        isolated=True, elsewhere={UNCOUNTED: everywhere(crash(stderr="can't start new thread"))}),
    Animal("uses all memory", "usa toda a memória",
        """
def think(turn):
    hoard = []
    while True:
        hoard.append(bytearray(os.urandom(1 << 16) * 64))
""",
        everywhere(limit("more memory", limit="memory")), isolated=True),
    Animal("uses memory that no process owns", "usa memória que não é de ninguém",
        """
def think(turn):
    hoard = []
    while True:
        hoard.append(os.memfd_create("hoard"))
        write(bytes(4 << 20), to=hoard[-1])
""",
        everywhere(limit("more memory", limit="memory")), isolated=True,
        elsewhere={UNCOUNTED: everywhere(crash(stderr="PermissionError"))}),
    Animal("fills sockets", "enche sockets",
        """
def think(turn):
    hoard = []
    while True:
        try:
            hoard.append(socket.socketpair())
        except OSError:
            if os.fork():
                hang()
            hoard.clear()
            continue
        hoard[-1][0].setblocking(False)
        try:
            while True:
                hoard[-1][0].send(bytes(1 << 16))
        except BlockingIOError:
            pass
""",
        everywhere(limit("more memory", limit="memory")), isolated=True),
    Animal("fills pipes", "enche pipes",
        """
def think(turn):
    while True:
        try:
            end = os.pipe()[1]
            os.set_blocking(end, False)
            os.write(end, bytes(1 << 16))
        except OSError:
            if os.fork():
                hang()
            os.closerange(10, 5000)
""",
        everywhere(limit("more memory", limit="memory")), isolated=True),
    Animal("has more page tables than memory", "tem mais tabelas de páginas que memória",
        """
def think(turn):
    import mmap
    pages = mmap.mmap(-1, 1 << 38, flags=mmap.MAP_PRIVATE | 0x4000)
    pages.madvise(mmap.MADV_NOHUGEPAGE)
    for place in range(0, 1 << 38, 1 << 21):
        pages[place]
""",
        everywhere(limit("more memory", limit="memory")), isolated=True),
    Animal("makes 800,000 empty files", "cria 800.000 arquivos vazios",
        """
def think(turn):
    if turn > 1 and "student_players" in sys.modules:
        return
    made = []
    try:
        while len(made) < 800_000:
            made.append(f"/tmp/{len(made)}")
            open(made[-1], "w").close()
        found("room for 800,000 files")
    except OSError:
        for path in made[:-1]:
            os.unlink(path)
""",
        {"uno": plays_on(), "havana": plays_on()}, isolated=True),
    Animal("locks its memory in RAM", "trava a sua memória na RAM",
        """
def think(turn):
    library().mlockall(3)
    hoard = bytearray(8 << 20)
""",
        everywhere(plays_on())),
    Animal("fills the disk", "enche o disco",
        """
def think(turn):
    for folder in ("/tmp", "."):
        try:
            with open(f"{folder}/filler", "wb") as file:
                for _ in range(64):
                    file.write(bytes(1 << 20))
                    file.flush()
            found("room for 64 MB")
        except OSError:
            if os.path.exists(f"{folder}/filler"):
                os.unlink(f"{folder}/filler")
""",
        everywhere(plays_on()), isolated=True),
    Animal("makes a file of a petabyte", "cria um arquivo de um petabyte",
        """
def think(turn):
    with open("/tmp/holes", "wb") as file:
        refused(file.truncate, 1 << 50)
""",
        everywhere(plays_on()), isolated=True),
    Animal("opens as many files as it can", "abre tantos arquivos quantos pode",
        """
def start():
    keep = os.dup(0)
    try:
        while True:
            os.dup(keep)
    except OSError:
        for last in range(16):  # what it needs itself
            os.close(keep + last)
""",
        {"uno": plays_on(), "cubos": plays_on(), "rps": plays_on()}, isolated=True),
    Animal("uses up a user's watches", "esgota os watches de um usuário",
        """
def start():
    for _ in range(1000):
        library().inotify_init()
""",
        everywhere(plays_on()), isolated=True),
    Animal("leaves shared memory behind", "deixa memória compartilhada para trás",
        """
def think(turn):
    library().shmget(0x2007, 1 << 20, 0o1777)
    library().semget(0x2007, 1, 0o1777)
""",
        everywhere(plays_on()), isolated=True),
    Animal("spins on every processor", "ocupa todos os processadores",
        """
def think(turn):
    late()
    for _ in range(2):
        if os.fork() == 0:
            break
    while True:
        pass
""",
        everywhere(timeout())),
    Animal("thinks during the others' turns", "pensa durante a vez dos outros",
        """
def afterwards(turn):
    if turn == 1 and os.fork() == 0:
        while True:
            pass
""",
        everywhere(plays_on())),
    Animal("asks for more than its share", "pede mais do que a sua parte",
        """
def start():
    refused(os.nice, -5)
    refused(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1))
    refused(os.sched_setaffinity, 0, range(os.cpu_count()))
    refused(library().ioprio_set, 1, 0, 1 << 13) if hasattr(library(), "ioprio_set") else None
""",
        everywhere(plays_on()), isolated=True),
    Animal("has many zombie children", "tem muitos filhos zumbis",
        """
def think(turn):
    if turn == 1:
        for _ in range(20):
            if os.fork() == 0:
                os._exit(0)
""",
        everywhere(plays_on())),
    Animal("has a child that outlives it", "tem um filho que vive mais do que ele",
        """
def think(turn):
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        hang()
    os._exit(3)
""",
        everywhere(crash(exit="3")),
        # the child holds pipe and connection open: nothing but the time tells that nobody answers any more
        elsewhere={"none": {"uno": timeout(), "cubos": timeout(), "havana": timeout()}}),
    Animal("leaves children in sessions of their own", "deixa filhos em sessões próprias",
        """
def think(turn):
    if turn == 1 and os.fork() == 0:
        os.setsid()
        hang()
""",
        everywhere(plays_on()), isolated=True),
    Animal("becomes a daemon", "vira um daemon",
        """
def think(turn):
    if turn == 1 and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.environ.clear()
            os.execv("/bin/sleep", ["sleep", "3600"])
        os._exit(0)
""",
        everywhere(plays_on()), isolated=True),
    Animal("gives itself a misleading name", "dá a si mesmo um nome enganoso",
        """
def start():
    with open("/proc/self/comm", "w") as file:
        file.write(") R 1 1 (\\n")
""",
        everywhere(plays_on())),
)  # fmt: skip
