// Plays any game: each POST brings a question as JSON. Chooses at random.
import { createServer } from "node:http";

const pick = (list) => list[Math.floor(Math.random() * list.length)];

createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const answer = JSON.stringify({ move: pick(JSON.parse(body).legal) });
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(answer) });
    response.end(answer);
  });
}).listen(Number(process.env.PORT ?? 8000)); // PORT is set when bots run without isolation
