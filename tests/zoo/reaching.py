"""Animals that reach for what is not theirs. They fail loudly when they find any of it.

`FACTS` are put into their folder: where the referee and the other bot keep something, and what it says.
"""

from __future__ import annotations

from typing import Final

from tests.zoo.animal import Animal, everywhere, plays_on

REACHING: Final = (
    Animal("looks for a network", "procura uma rede",
        """
def start():
    def reach(family, *address):
        with socket.socket(family) as line:
            line.settimeout(1)
            return line.connect(*address)
    refused(reach, socket.AF_INET, ("127.0.0.1", OURS))
    refused(reach, socket.AF_INET, ("1.1.1.1", 80))
    refused(reach, socket.AF_INET6, ("2606:4700:4700::1111", 80))
    refused(reach, socket.AF_UNIX, "\\0" + TOKEN)
    for gateway in GATEWAYS:
        refused(reach, socket.AF_INET, (gateway, 22))
    refused(socket.gethostbyname, "example.org")
    refused(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)
    refused(socket.socket, socket.AF_VSOCK, socket.SOCK_STREAM)
    if [name for _, name in socket.if_nameindex() if name != "lo"]:
        found(socket.if_nameindex())
""",
        everywhere(plays_on()), isolated=True),
    Animal("reads the referee's secrets", "lê os segredos do juiz",
        """
def start():
    for name in os.listdir("/proc"):
        if name.isdigit():
            for file in ("environ", "cmdline", "cwd/secret", "root" + SECRETS[0]):
                try:
                    with open(f"/proc/{name}/{file}", "rb") as secret:
                        told = secret.read()
                        if TOKEN.encode() in told and b"TOKEN =" not in told:  # else it is this very program
                            found(f"/proc/{name}/{file}")
                except OSError:
                    pass
    if TOKEN in str(os.environ) or len([name for name in os.listdir("/proc") if name.isdigit()]) > 10:
        found("the referee")
    if "student_players" not in sys.modules and max(map(int, os.listdir("/proc/self/fd"))) > 3:
        found("descriptors of ours")
""",
        everywhere(plays_on()), isolated=True),
    Animal("reads other bots' files", "lê os arquivos de outros bots",
        """
def start():
    for path in SECRETS:
        refused(os.stat, path)
        refused(os.open, path, os.O_RDONLY)
        refused(os.listdir, os.path.dirname(path))
    refused(os.open, "/etc/shadow", os.O_RDONLY)
""",
        everywhere(plays_on()), isolated=True),
    Animal("writes everywhere", "escreve em toda parte",
        """
def start():
    for folder in EVERYWHERE:
        try:
            with open(f"{folder}/{TOKEN}", "w") as file:
                file.write("I was here")
        except OSError:
            pass
    here = os.path.dirname(os.path.abspath(__file__))
    refused(os.open, here + "/animal.py", os.O_WRONLY)
    refused(os.unlink, here + "/animal.py")
    refused(os.rename, here + "/animal.py", here + "/other.py")
    refused(os.chmod, here + "/animal.py", 0o777)
""",
        everywhere(plays_on()), isolated=True),
    Animal("leaves files for its next instance", "deixa recados para a sua próxima instância",
        """
def start():
    notes = [f"{folder}/note" for folder in ("/tmp", ".", "/dev/shm", "/var/tmp")]
    for path in notes:
        if os.path.exists(path):
            found(path)
    for path in notes:
        try:
            open(path, "w").close()
        except OSError:
            pass
""",
        {"rps": plays_on()}, isolated=True),
    Animal("contains links that lead outside", "é construído com links para fora",
        """
def start():
    for name in ("stolen", "root/etc/shadow", "hard"):
        refused(os.open, name, os.O_RDONLY)
""",
        {"uno": plays_on()}, isolated=True,
        files={"botequim.toml": 'command = "python3 bot.py"\nbuild = "sh build.sh"\n',
               "build.sh": "ln -s SECRET stolen; ln -s / root; ln SECRET hard; sleep 3600 & "
                           "setsid sleep 3600 & exit 0\n"}),
    Animal("kills whatever it can", "mata o que puder",
        """
def think(turn):
    if len([name for name in os.listdir("/proc") if name.isdigit()]) > 20:
        found("the whole machine")
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in (-1, 1, os.getppid()):
            try:
                os.kill(pid, number)
            except OSError:
                pass
""",
        everywhere(plays_on()), isolated=True),
    Animal("looks into other processes", "olha dentro de outros processos",
        """
def start():
    for pid in {1, os.getppid()}:
        refused(library().ptrace, 16, pid, 0, 0)
        refused(library().process_vm_readv, pid, None, 0, None, 0, 0)
        if not equal(pid):
            refused(os.open, f"/proc/{pid}/mem", os.O_RDWR)

def equal(pid):
    # an ordinary user's bot is the same user as the init of its sandbox, which must have nothing more than it
    def rights(pid):
        with open(f"/proc/{pid}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        return [lines[name] for name in ("Uid", "Gid", "CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Seccomp")]
    def most(pid):
        with open(f"/proc/{pid}/limits") as file:
            (line,) = [line for line in file if line.startswith("Max processes")]
        return int(line.split()[2])
    return rights(pid) == rights("self") and most(pid) <= most("self") + 128
""",
        everywhere(plays_on()), isolated=True),
    Animal("tries to leave the sandbox", "tenta sair do isolamento",
        """
def start():
    refused(os.setuid, 0 if os.getuid() else 4242)
    refused(os.setgroups, [0])
    refused(os.chroot, "/tmp")
    refused(os.mknod, "/tmp/disk", 0o60600, os.makedev(8, 0))
    for flags in (0x10000000, 0x00020000, 0x20000000, 0x40000000):
        refused(library().unshare, flags)
    refused(library().mount, b"none", b"/tmp", b"tmpfs", 0, None)
    refused(library().syscall, 425, 1, 0)
    refused(library().syscall, 321, 0, 0, 0)
    refused(os.open, "/proc/sys/kernel/core_pattern", os.O_WRONLY)
    refused(os.open, "/proc/sysrq-trigger", os.O_WRONLY)
""",
        everywhere(plays_on()), isolated=True),
)  # fmt: skip
