const { createServer } = require("node:http");

const port = Number(process.env.PORT);

const server = createServer((req, res) => {
  res.writeHead(200, { "content-type": "text/plain" }).end("Hello from a Dockerfile of its own\n");
});

server.listen(port, "0.0.0.0", () => console.log(`listening on ${port}`));
process.once("SIGTERM", () => server.close());
