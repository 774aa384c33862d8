"""A cubos bot that behaves: lays the first tile that fits."""

import json
import os
import socket

import animal


def choose(asked):
    left, right = asked["mesa"][0].split("-")[0], asked["mesa"][-1].split("-")[1]
    for tile in asked["mao"]:
        for end, side in ((left, "esquerda"), (right, "direita")):
            if end in tile.split("-"):
                return {"pedra": tile, "lado": side}
    return {}


def request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk:
            return None
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(body) < length:
        body += connection.recv(65536)
    return json.loads(body)


animal.start()
turn = 0
with socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "8000")))) as listener:
    while True:
        connection, _ = listener.accept()
        with connection:
            try:
                animal.accepted(connection)
                while (asked := request(connection)) is not None:
                    turn += 1
                    animal.think(turn)
                    if not animal.respond(connection, animal.said(json.dumps(choose(asked)))):
                        break
                    animal.afterwards(turn)
            except ConnectionError:
                pass
