import { buildSync } from "esbuild";
import { program } from "../platform/apps.ts";
import type { Files } from "../doubles/git-host.ts";
import { SLOW_MS } from "./load-apps.ts";

/**
 * Answers as `loadedApp` does, and writes a row into its database for each request first. Its one dependency is bundled,
 * so that its build installs nothing.
 */
export function storingApp(): Files {
  const { outputFiles } = buildSync({
    stdin: { contents: STORING, resolveDir: import.meta.dirname },
    bundle: true,
    platform: "node",
    external: ["pg-native"],
    write: false,
  });
  return program(outputFiles[0]!.text);
}

const STORING = `const http = require("node:http");
const { Pool } = require("pg");
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
pool.on("error", (error) => console.error(error.message));
async function answer(req, bytes) {
  await pool.query("INSERT INTO rows DEFAULT VALUES");
  if (req.url === "/slow") await new Promise((resolve) => setTimeout(resolve, ${SLOW_MS}));
  return process.env.SVC_RELEASE + " " + bytes;
}
const server = http.createServer((req, res) => {
  let bytes = 0;
  req.on("data", (chunk) => (bytes += chunk.length));
  req.on("end", () => answer(req, bytes).then(
    (text) => res.end(text),
    (error) => { res.statusCode = 500; res.end(error.message); },
  ));
});
pool.query("CREATE TABLE IF NOT EXISTS rows (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)").then(
  () => server.listen(process.env.PORT, "0.0.0.0"),
);
`;

/** Takes what it can get of its host, by the path that it is asked for. */
export function greedyApp(): Files {
  return program(`const http = require("node:http");
const fs = require("node:fs");
const { spawn } = require("node:child_process");
const attacks = {
  "/disk": () => spawn("dd", ["if=/dev/zero", "of=/tmp/" + Date.now(), "bs=1M"], { stdio: "ignore" }),
  "/files": () => {
    for (let i = 0; ; i++) fs.writeFileSync("/tmp/" + i, "");
  },
  "/memory": () => {
    for (const kept = []; ; ) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
  },
  "/processes": () => spawn("sh", ["-c", "bomb() { bomb | bomb & }; bomb"], { stdio: "ignore" }),
  "/log": () => spawn("sh", ["-c", "yes a line of the log that nobody reads | head -n 1000000"], { stdio: ["ignore", "inherit", "ignore"] }),
};
http.createServer((req, res) => {
  res.end("taking");
  if (attacks[req.url]) setImmediate(attacks[req.url]);
}).listen(process.env.PORT, "0.0.0.0");
`);
}

/** A repository whose build writes that many bytes of log and fails. */
export function talkativeBuild(bytes: number): Files {
  return {
    Dockerfile: [
      "FROM node:22-slim",
      `RUN yes 'a line of a build that goes on and on, and then fails' | head -c ${bytes}; exit 1`,
      "",
    ].join("\n"),
  };
}
