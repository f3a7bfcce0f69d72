import { createServer } from "node:http";
import { createVisits } from "./visits.js";
import { page } from "./page.js";

const port = Number(process.env.PORT ?? 3000);
const visits = await createVisits(process.env.DATABASE_URL);

const server = createServer((req, res) => {
  answer(req, res).catch((error) => {
    console.error(error);
    send(res, 500, "application/json", JSON.stringify({ error: "internal" }));
  });
});

async function answer(req, res) {
  const { pathname } = new URL(req.url, "http://localhost");
  const call = `${req.method} ${pathname}`;
  if (call === "GET /") {
    await visits.add();
    return send(res, 200, "text/html; charset=utf-8", page(await visits.latest(), await visits.count()));
  }
  if (call === "GET /api/visits") {
    const { id } = await visits.add();
    return json(res, 200, { id, visits: await visits.count(), latest: await visits.latest() });
  }
  return json(res, 404, { error: "not_found" });
}

function json(res, status, body) {
  send(res, status, "application/json", JSON.stringify(body));
}

function send(res, status, type, body) {
  res.writeHead(status, { "content-type": type }).end(body);
}

server.listen(port, "0.0.0.0", () => console.log(`listening on ${port}`));

process.once("SIGTERM", () => {
  server.close(() => visits.close().then(() => process.exit(0)));
});
