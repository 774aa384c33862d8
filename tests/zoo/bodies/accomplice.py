"""One of two instances of a bot: passes bits to the other, by every way that this machine may offer.

It reads commands from its standard input, `send CHANNEL BIT` or `receive CHANNEL`, and answers each with one
line: a number. An error is a number too, below 0, for that a thing is refused may also tell something.
"""

# ruff: noqa: PTH101, PTH108, PTH109, PTH110, PTH112, PTH116, PTH208

import ctypes
import errno
import fcntl
import mmap
import os
import re
import resource
import signal
import socket
import struct
import sys
import threading
import time

HERE = os.environ.get("ACCOMPLICE_HOME") or os.getcwd()
CHANNELS = {}
PLACES = {
    "its folder": (HERE, HERE + "/data"),
    "the system": ("/usr", "/usr/bin/env", "/etc/ld.so.cache", os.path.realpath(sys.executable)),
    "the engine": ("/run/podman-init", "/proc/1/exe", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf",
                   "/run/.containerenv", "/sbin/docker-init"),
    "devices": ("/dev/null", "/dev/urandom", "/dev/zero"),
}  # fmt: skip
FOLDERS = (
    HERE, "/", "/tmp", "/var/tmp", "/run", "/run/lock", "/dev", "/dev/shm", "/dev/mqueue", "/usr", "/etc",
    "/proc", "/sys", "/sys/fs/cgroup", "/var", "/var/lib", "/home", "/root", "/mnt", "/srv", "/opt",
)  # fmt: skip
LEASE, SET_PIPE_SIZE, PIPE_SIZE, OFD_GET, OFD_SET = 1024, 1031, 1032, 36, 37
library = ctypes.CDLL(None, use_errno=True)


def call(name, *given):
    result = getattr(library, name)(*given)
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return result


def channel(name):
    def enter(make):
        CHANNELS[name] = make
        return make

    return enter


def at_every_place(mechanism):
    """A channel for each kind of place; what it tells is the sum over the places of that kind."""

    def enter(make):
        for kind, paths in PLACES.items():

            def together(paths=paths):
                pairs = [make(path) for path in paths if os.path.exists(path)]

                def send(bit):
                    for one, _ in pairs:
                        with_errors(one, bit)

                return send, lambda: sum(with_errors(one) for _, one in pairs)

            CHANNELS[f"{mechanism}: {kind}"] = together
        return make

    return enter


def with_errors(action, *given):
    try:
        return action(*given) or 0
    except OSError as error:
        return -(error.errno or 999)


class Opened:
    """A file that is opened at its first use, and stays open."""

    def __init__(self, path):
        self.path, self.number = path, None

    def fileno(self):
        if self.number is None:
            self.number = os.open(self.path, os.O_RDONLY)
        return self.number


# --- files that both see -------------------------------------------------------------------------------


@at_every_place("flock")
def flock(path):
    file = Opened(path)

    def receive():
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 1
        fcntl.flock(file, fcntl.LOCK_UN)
        return 0

    # two paths may lead to the same file
    return lambda bit: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB if bit else fcntl.LOCK_UN), receive


def byte_locks(path, setting, getting):
    file, layout = Opened(path), "hhqqi4x"

    def send(bit):
        kind = fcntl.F_RDLCK if bit else fcntl.F_UNLCK
        fcntl.fcntl(file, setting, struct.pack(layout, kind, 0, 7, 1, 0))

    def receive():
        told = fcntl.fcntl(file, getting, struct.pack(layout, fcntl.F_WRLCK, 0, 7, 1, 0))
        return int(struct.unpack(layout, told)[0] != fcntl.F_UNLCK)

    return send, receive


@at_every_place("lock of a byte")
def posix(path):
    return byte_locks(path, fcntl.F_SETLK, fcntl.F_GETLK)


@at_every_place("lock of an open file")
def ofd(path):
    return byte_locks(path, OFD_SET, OFD_GET)


@at_every_place("lease")
def lease(path):
    kept = []
    # files that no other channel keeps open
    path = {HERE + "/data": HERE + "/lease", "/usr/bin/env": "/usr/bin/id"}.get(path, path)

    def send(bit):
        if bit:
            kept.append(os.open(path, os.O_RDONLY))
        while not bit and kept:
            os.close(kept.pop())

    def receive():
        file = os.open(path, os.O_RDONLY)
        try:
            fcntl.fcntl(file, LEASE, fcntl.F_WRLCK)
            fcntl.fcntl(file, LEASE, fcntl.F_UNLCK)
        finally:
            os.close(file)

    return send, receive


def watching(path, begin):
    watch = []

    def send(bit):
        if bit:
            os.close(os.open(path, os.O_RDONLY))

    def receive():
        if not watch:
            watch.append(begin())
            os.set_blocking(watch[0], False)
        try:
            return int(len(os.read(watch[0], 1 << 16)) > 0)
        except BlockingIOError:
            return 0

    return send, receive


SHARED_WATCH = []
"""One for all paths: a user may have few."""


@at_every_place("inotify")
def inotify(path):
    def begin():
        if not SHARED_WATCH:
            SHARED_WATCH.append(call("inotify_init1", os.O_NONBLOCK))
        call("inotify_add_watch", SHARED_WATCH[0], path.encode(), 0xFFF)
        return SHARED_WATCH[0]

    return watching(path, begin)


@at_every_place("fanotify")
def fanotify(path):
    def begin():
        watch = call("fanotify_init", 0x202, os.O_RDONLY)
        call("fanotify_mark", watch, 1, ctypes.c_uint64(0x20), -100, path.encode())
        return watch

    return watching(path, begin)


def changing(path, change, field):
    last = [None]

    def receive():
        now, before = getattr(os.stat(path), field), last[0]
        last[0] = now
        return int(before is not None and now != before)

    return lambda bit: change(path) if bit else None, receive


@at_every_place("time of change")
def touched(path):
    return changing(path, os.utime, "st_mtime_ns")


@at_every_place("time of reading")
def read(path):
    def change(path):
        if os.path.isdir(path):
            os.listdir(path)
        else:
            with open(path, "rb") as file:
                file.read(1)

    return changing(path, change, "st_atime_ns")


@at_every_place("mode")
def mode(path):
    return lambda bit: os.chmod(path, 0o755 if bit else 0o644), lambda: os.stat(path).st_mode & 1


@at_every_place("extended attribute")
def attribute(path):
    def send(bit):
        os.setxattr(path, "user.bit", b"1") if bit else os.removexattr(path, "user.bit")

    return send, lambda: len([name for name in os.listxattr(path) if name == "user.bit"])


@at_every_place("pages in memory, by mincore and cachestat")
def resident(path):
    def send(bit):
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
        os.pread(file, 1, 8192) if bit else os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)

    def receive():
        file = os.open(path, os.O_RDONLY)
        try:
            told = (ctypes.c_uint64 * 5)()
            here = (ctypes.c_uint64 * 2)(8192, 4096)
            seen = with_errors(lambda: call("syscall", 451, file, here, told, 0) or told[0])
            pages = mmap.mmap(file, 12288, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
            vector = (ctypes.c_ubyte * 3)()
            start = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(pages)))
            seen += with_errors(lambda: call("mincore", start, 12288, vector) or vector[2])
            if "/proc/" not in path:
                seen += with_errors(os.preadv, file, [bytearray(1)], 8192, os.RWF_NOWAIT)
            return seen
        finally:
            os.close(file)

    return send, receive


@channel("new files")
def files():
    def send(bit):
        for folder in FOLDERS:
            with_errors(lambda path: open(path, "w").close() if bit else os.unlink(path), folder + "/bit")

    return send, lambda: sum(os.path.exists(folder + "/bit") for folder in FOLDERS)


# --- objects with a name or a key ----------------------------------------------------------------------


def held(open_one, look):
    kept = []

    def send(bit):
        if bit:
            kept.append(open_one())
        while not bit and kept:
            kept.pop().close()

    return send, look


@channel("abstract socket")
def abstract():
    def listen():
        line = socket.socket(socket.AF_UNIX)
        line.bind("\0bit")
        line.listen()
        return line

    def look():
        with socket.socket(socket.AF_UNIX) as line:
            line.connect("\0bit")
        return 1

    return held(listen, look)


@channel("port")
def port():
    return held(
        lambda: socket.create_server(("127.0.0.1", 7777)),
        lambda: socket.create_connection(("127.0.0.1", 7777), 5).close() or 1,
    )


def by_key(get, remove):
    made = []

    def send(bit):
        if bit:
            made.append(get(0o1666))
        while not bit and made:
            remove(made.pop())

    return send, lambda: get(0) and 1


@channel("System V shared memory")
def shared_memory():
    return by_key(lambda flags: call("shmget", 0x4242, 4096 if flags else 0, flags),
                  lambda number: call("shmctl", number, 0, None))  # fmt: skip


@channel("System V semaphore")
def semaphore():
    return by_key(lambda flags: call("semget", 0x4242, 1 if flags else 0, flags),
                  lambda number: call("semctl", number, 0, 0))  # fmt: skip


@channel("System V message queue")
def messages():
    return by_key(lambda flags: call("msgget", 0x4242, flags), lambda number: call("msgctl", number, 0, None))


@channel("POSIX message queue")
def queue():
    def send(bit):
        if bit:
            os.close(call("mq_open", b"/bit", os.O_CREAT | os.O_RDWR, 0o666, None))
        else:
            call("mq_unlink", b"/bit")

    return send, lambda: os.close(call("mq_open", b"/bit", os.O_RDONLY)) or 1


@channel("keyring")
def keyring():
    made = []

    def send(bit):
        if bit:
            made.append(call("syscall", 248, b"user", b"bit", b"1", 1, -4))
        while not bit and made:
            call("syscall", 250, 9, made.pop(), -4)

    return send, lambda: call("syscall", 250, 10, -4, b"user", b"bit", 0) and 1


# --- what the kernel counts by user --------------------------------------------------------------------


def in_a_child(action):
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(action())
        except BaseException:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def pending():
    number, waiting = signal.SIGRTMIN + 5, []

    def send(bit):
        signal.pthread_sigmask(signal.SIG_BLOCK, [number])
        if bit:
            for _ in range(50):
                os.kill(os.getpid(), number)
                waiting.append(number)
        while not bit and waiting:
            signal.sigwait([waiting.pop()])

    return send


@channel("signals that wait, as /proc shows them")
def signals_shown():
    def receive():
        with open("/proc/self/status") as file:
            return int(re.search(r"SigQ:\s+(\d+)/", file.read())[1])

    return pending(), receive


@channel("signals that wait, by their limit")
def signals_limited():
    def probe():
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (25, 25))
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN + 6])
        return 0 if library.sigqueue(os.getpid(), signal.SIGRTMIN + 6, 0) == 0 else 1

    return pending(), lambda: in_a_child(probe)


@channel("descriptors in flight")
def in_flight():
    kept = []

    def send(bit):
        if bit:
            kept.append(socket.socketpair())
            for _ in range(6):
                socket.send_fds(kept[-1][0], [b"x"], [0] * 50)
        while not bit and kept:
            for end in kept.pop():
                end.close()

    def probe():
        resource.setrlimit(resource.RLIMIT_NOFILE, (150, 150))
        ends = socket.socketpair()
        try:
            for _ in range(2):
                socket.send_fds(ends[0], [b"x"], [0])
        except OSError as error:
            return 1 if error.errno == errno.ETOOMANYREFS else 2
        return 0

    return send, lambda: in_a_child(probe)


@channel("pages of pipes")
def pipe_pages():
    kept = []

    def send(bit):
        if bit:
            for _ in range(80):
                kept.extend(os.pipe())
                with_errors(fcntl.fcntl, kept[-1], SET_PIPE_SIZE, 1 << 20)
            for _ in range(300):
                kept.extend(os.pipe())
        while not bit and kept:
            os.close(kept.pop())

    def receive():
        ends = os.pipe()
        size = fcntl.fcntl(ends[1], PIPE_SIZE)
        for end in ends:
            os.close(end)
        return int(size < 65536)

    return send, receive


def used_up(take, give_back):
    kept = []

    def send(bit):
        try:
            while bit and len(kept) < 1000:
                kept.append(take())
        except OSError:
            pass
        while not bit and kept:
            give_back(kept.pop())

    def receive():
        give_back(take())
        return 1

    return send, receive


@channel("inotify instances of a user")
def instances():
    return used_up(lambda: call("inotify_init1", 0), os.close)


@channel("bytes of message queues of a user")
def queue_bytes():
    numbers = iter(range(1 << 30))

    def take():
        name = b"/bytes%d" % next(numbers)
        os.close(call("mq_open", name, os.O_CREAT | os.O_RDWR, 0o666, None))
        return name

    return used_up(take, lambda name: call("mq_unlink", name))


@channel("processes of a user")
def processes():
    def take():
        pid = os.fork()
        if pid == 0:
            signal.pause()
        return pid

    def give_back(pid):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    return used_up(take, give_back)


# --- what the kernel counts for the whole machine ------------------------------------------------------


def number_in(path, pattern=r"(\d+)"):
    def receive():
        with open(path) as file:
            return int(re.search(pattern, file.read())[1])

    return receive


def opening(count):
    return held_many(lambda: os.open("/usr", os.O_RDONLY), count, os.close)


def held_many(take, count, give_back):
    kept = []

    def send(bit):
        if bit and not kept:
            kept.extend(take() for _ in range(count))
        while not bit and kept:
            give_back(kept.pop())

    return send


@channel("open files, as /proc shows them")
def open_files():
    return opening(700), number_in("/proc/sys/fs/file-nr")


@channel("inodes, as /proc shows them")
def inodes():
    close = lambda ends: [os.close(end) for end in ends]  # noqa: E731
    return held_many(os.pipe, 300, close), number_in("/proc/sys/fs/inode-nr")


@channel("terminals, as /proc shows them")
def terminals():
    return held_many(lambda: os.openpty(), 10, lambda pair: [os.close(end) for end in pair]), number_in(
        "/proc/sys/kernel/pty/nr"
    )


@channel("forks, as /proc shows them")
def forks():
    last = [None]

    def send(bit):
        for _ in range(60 if bit else 0):
            in_a_child(lambda: 0)

    def receive():
        now, before = number_in("/proc/stat", r"processes (\d+)")(), last[0]
        last[0] = now
        return now - (before or now)

    return send, receive


def threads():
    stop = []

    def send(bit):
        if bit:
            stop.append(threading.Event())
            stop.extend(threading.Thread(target=stop[0].wait, daemon=True) for _ in range(25))
            for one in stop[1:]:
                one.start()
        elif stop:
            stop[0].set()
            for one in stop[1:]:
                one.join()
            stop.clear()

    return send


@channel("threads, as /proc shows them")
def threads_shown():
    return threads(), number_in("/proc/loadavg", r"/(\d+)")


@channel("memory, as /proc shows it")
def memory_shown():
    kept = []

    def send(bit):
        kept.append(bytearray(os.urandom(1 << 20) * 40)) if bit else kept.clear()

    return send, number_in("/proc/meminfo", r"AnonPages:\s+(\d+)")


@channel("memory events, as /proc shows them")
def events_shown():
    return opening(700), number_in("/proc/vmstat", r"nr_kernel_stack (\d+)")


@channel("asynchronous input and output")
def asynchronous():
    def take():
        context = ctypes.c_ulong(0)
        call("syscall", 206, 8000, ctypes.byref(context))
        return context

    return used_up(take, lambda context: call("syscall", 207, context))


@channel("ciphers of the kernel")
def ciphers():
    def take():
        line = socket.socket(38, socket.SOCK_SEQPACKET)
        line.bind(("hash", "sha256"))
        return line

    def receive():
        with open("/proc/crypto") as file:
            return sum(map(int, re.findall(r"refcnt\s+: (\d+)", file.read())))

    return held_many(take, 5, lambda line: line.close()), receive


@channel("the kernel's log")
def kernel_log():
    return lambda bit: bit and in_a_child(lambda: ctypes.string_at(42)) and None, lambda: call(
        "klogctl", 9, None, 0
    )


# --- what every process is told of the whole machine ---------------------------------------------------


class Info(ctypes.Structure):
    _fields_ = [("times", ctypes.c_ulong * 4), ("memory", ctypes.c_ulong * 6), ("procs", ctypes.c_ushort),
                ("rest", ctypes.c_char * 64)]  # fmt: skip


def told(field):
    info = Info()
    call("sysinfo", ctypes.byref(info))
    return field(info)


@channel("sysinfo: number of threads")
def sysinfo_threads():
    return threads(), lambda: told(lambda info: info.procs)


@channel("sysinfo: shared memory")
def sysinfo_shared():
    def send(bit):
        if bit:
            with open("/tmp/fill", "wb") as file:
                file.write(bytes(3 << 20))
        elif os.path.exists("/tmp/fill"):
            os.unlink("/tmp/fill")

    return send, lambda: told(lambda info: info.memory[2] // 4096)


@channel("memory of TCP, in /proc/net")
def tcp_memory():
    def take():
        listener = socket.create_server(("127.0.0.1", 0))
        ends = [listener]
        for _ in range(4):
            ends.append(socket.create_connection(listener.getsockname()))
            ends.append(listener.accept()[0])
            ends[-2].setblocking(False)
            try:
                while True:
                    ends[-2].send(bytes(1 << 16))
            except BlockingIOError:
                pass
        return ends

    return held_many(take, 1, lambda ends: [end.close() for end in ends]), number_in(
        "/proc/net/sockstat", r"TCP:.* mem (\d+)"
    )


@channel("numbers of pipes")
def pipe_numbers():
    last = [None]

    def turn(count):
        number = 0
        for _ in range(count):
            ends = os.pipe()
            number = os.fstat(ends[0]).st_ino
            for end in ends:
                os.close(end)
        return number

    def receive():
        now, before = turn(1200), last[0]
        last[0] = now
        return now - (before or now)

    return lambda bit: turn(6000 if bit else 0) and None, receive


@channel("page faults that had to read")
def faults():
    path = HERE + "/data" if os.path.exists(HERE + "/data") else "/usr/bin/tar"

    def send(bit):
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
        os.pread(file, 1, 8192) if bit else os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)

    def receive():
        with (
            open(path, "rb") as file,
            mmap.mmap(file.fileno(), 12288, mmap.MAP_PRIVATE, mmap.PROT_READ) as pages,
        ):
            pages.madvise(mmap.MADV_RANDOM)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
            pages[8192]
            return resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before

    return send, receive


# --- what depends on timing: measured, not tested ------------------------------------------------------


def in_the_background(work):
    running = []

    def send(bit):
        if bit and not running:
            pid = os.fork()
            if pid == 0:
                while True:
                    work()
            running.append(pid)
        while not bit and running:
            os.kill(running[-1], signal.SIGKILL)
            os.waitpid(running.pop(), 0)

    return send


def duration(work):
    began = time.perf_counter_ns()
    work()
    return time.perf_counter_ns() - began


@channel("timing: load of the processor")
def load():
    return in_the_background(lambda: sum(range(10_000))), lambda: duration(lambda: sum(range(3_000_000)))


@channel("timing: load of the memory")
def bandwidth():
    block = bytearray(1 << 25)
    return in_the_background(lambda: bytes(block)), lambda: duration(lambda: [bytes(block) for _ in range(4)])


def main():
    if os.getpid() > 1000:  # it changes modes of system files wherever it can
        sys.exit("only in a sandbox, where processes are counted from 1")
    made = {}
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        name, _, bit = rest.rpartition(" ") if verb == "send" else (rest, "", "")
        try:
            if name not in made:
                made[name] = CHANNELS[name]()
            send, receive = made[name]
            answer = with_errors(send, int(bit)) if verb == "send" else with_errors(receive)
        except Exception as error:
            print(f"{name}: {error!r}", file=sys.stderr)
            answer = -998
        print(int(answer), flush=True)


if __name__ == "__main__":
    main()
