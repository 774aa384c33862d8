// A cubos bot: an HTTP server that answers every position with a move.
import { createServer } from "node:http";

const pips = (tile) => tile.split("-").map(Number);

function choose({ mao, mesa }) {
  const left = pips(mesa[0])[0];
  const right = pips(mesa[mesa.length - 1])[1];
  const heaviestFirst = [...mao].sort((a, b) => pips(b)[0] + pips(b)[1] - pips(a)[0] - pips(a)[1]);
  for (const pedra of heaviestFirst) {
    if (pips(pedra).includes(left)) return { pedra, lado: "esquerda" };
    if (pips(pedra).includes(right)) return { pedra, lado: "direita" };
  }
  return {}; // nothing fits: pass
}

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const answer = JSON.stringify(choose(JSON.parse(body)));
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(answer) });
    response.end(answer);
  });
});

// 8000 is the competition's port; PORT is set when bots run without isolation
server.listen(Number(process.env.PORT ?? 8000), () => console.error("ready"));
