"""A bot for cubos: a server on port 8000, whatever PORT says, with a log file beside it."""

import json
import logging
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOST = "0.0.0.0"
logging.basicConfig(filename="bot.log", level=logging.INFO, format="%(asctime)s %(message)s")


def choose(mao, mesa):
    left, right = mesa[0].split("-")[0], mesa[-1].split("-")[1]
    for pedra in sorted(mao, key=lambda pedra: -sum(map(int, pedra.split("-")))):
        numbers = pedra.split("-")
        if left in numbers:
            return {"pedra": pedra, "lado": "esquerda"}
        if right in numbers:
            return {"pedra": pedra, "lado": "direita"}
    return {}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = choose(question["mao"], question["mesa"])
        logging.info("%s -> %s", question, answer)
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        logging.info(format, *args)


ThreadingHTTPServer((HOST, 8000), Handler).serve_forever()
