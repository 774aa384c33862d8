"""Animals that are servers, and have their own idea of HTTP."""

from __future__ import annotations

from typing import Final

from tests.zoo.animal import Animal, crash, limit, malformed, plays_on, timeout

SERVING: Final = (
    Animal("listens and never accepts", "escuta e nunca aceita",
        """
def start():
    listener = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "8000"))))
    hang()
""",
        {"cubos": timeout()}),
    Animal("listens on another port", "escuta em outra porta",
        """
def start():
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        chosen.listen()
        late_with_another()
        while True:
            time.sleep(60)
""",
        # without isolation it is refused before it plays
        {"cubos": timeout("does not listen on port 8000, but on", listening="")}, isolated=True),
    Animal("sends its response very slowly", "envia a resposta muito devagar",
        """
def respond(connection, body):
    for at, sign in enumerate(head("200 OK", "Content-Length: 10000") + b" " * 10000):
        connection.sendall(bytes([sign]))
        if at == 100:
            late()
        time.sleep(0.005)
""",
        {"cubos": timeout(answer="HTTP/1.1 200 OK")}),
    Animal("sends chunks without end", "envia pedaços sem fim",
        """
def respond(connection, body):
    connection.sendall(head("200 OK", "Transfer-Encoding: chunked"))
    while True:
        connection.sendall(b"400\\r\\n" + b"x" * 1024 + b"\\r\\n")
""",
        {"cubos": limit("longer than the limit")}),
    Animal("sends headers without end", "envia cabeçalhos sem fim",
        """
def respond(connection, body):
    connection.sendall(b"HTTP/1.1 200 OK\\r\\n")
    while True:
        connection.sendall(b"X-Header: of no use\\r\\n" * 100)
""",
        {"cubos": limit("longer than the limit")}),
    Animal("has a status line without end", "tem uma linha de estado sem fim",
        """
def respond(connection, body):
    connection.sendall(b"HTTP/1.1 200 ")
    while True:
        connection.sendall(b"O" * 4096)
""",
        {"cubos": limit("longer than the limit")}),
    Animal("sends 100 Continue without end", "envia 100 Continue sem fim",
        """
def respond(connection, body):
    while True:
        connection.sendall(head("100 Continue") * 100)
""",
        {"cubos": limit("longer than the limit")}),
    Animal("redirects the referee", "redireciona o juiz",
        """
def respond(connection, body):
    place = f"Location: http://127.0.0.1:{OURS}/"
    connection.sendall(head("302 Found", place, "Content-Length: 0"))
    return True
""",
        {"cubos": malformed("the status 302", status="302")}),
    Animal("sends a compressed bomb", "envia uma bomba compactada",
        """
def respond(connection, body):
    import zlib
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    small = b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()
    connection.sendall(head("200 OK", "Content-Encoding: gzip", f"Content-Length: {len(small)}") + small)
    return True
""",
        {"cubos": malformed('encoded as "gzip"')}),
    Animal("announces less than it sends", "anuncia menos do que envia",
        """
def respond(connection, body):
    connection.sendall(head("200 OK", "Content-Length: 5") + body + b" " * 20)
    return True
""",
        {"cubos": malformed("not JSON")}),
    Animal("announces more than it sends", "anuncia mais do que envia",
        """
def respond(connection, body):
    connection.sendall(head("200 OK", "Content-Length: 99999") + body)
    return False
""",
        {"cubos": crash("closed the connection", answer="99999")}),
    Animal("announces a negative length", "anuncia um tamanho negativo",
        """
def respond(connection, body):
    connection.sendall(head("200 OK", "Content-Length: -4") + body)
    return True
""",
        {"cubos": malformed("not HTTP")}),
    Animal("resets the connection", "derruba a conexão",
        """
def respond(connection, body):
    import struct
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False
""",
        {"cubos": crash("closed the connection")}),
    Animal("speaks another protocol", "fala outro protocolo",
        """
def respond(connection, body):
    connection.sendall(b"\\x16\\x03\\x01\\x02\\x00\\x01" + body)
    return True
""",
        {"cubos": malformed("not HTTP")}),
    Animal("asks for another protocol", "pede outro protocolo",
        """
def respond(connection, body):
    connection.sendall(head("101 Switching Protocols", "Upgrade: chess", "Connection: Upgrade") + body)
    return True
""",
        {"cubos": malformed()}),
    Animal("has no content", "não tem conteúdo",
        """
def respond(connection, body):
    connection.sendall(head("204 No Content"))
    return True
""",
        {"cubos": malformed("empty")}),
    Animal("speaks HTTP 1.0", "fala HTTP 1.0",
        """
def respond(connection, body):
    connection.sendall(head("200 OK", version="1.0") + body)
    return False
""",
        {"cubos": plays_on()}),
    Animal("keeps no connection that it says to keep", "não mantém a conexão que diz manter",
        """
def respond(connection, body):
    length = f"Content-Length: {len(body)}"
    connection.sendall(head("200 OK", length, "Connection: keep-alive", "Keep-Alive: timeout=99") + body)
    return False
""",
        {"cubos": plays_on()}),
)  # fmt: skip
