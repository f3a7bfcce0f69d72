import { build } from "esbuild";
import type { Files } from "../doubles/git-host.ts";

/** Milliseconds that a build of it takes, so that a kill may come in between. */
const BUILD_MS = 1_500;

const SOURCE = `
const http = require("node:http");
const { Pool } = require("pg");
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 4, connectionTimeoutMillis: 5000 });
pool.on("error", (error) => console.error(error.message));
async function answer({ method, url }) {
  if (url === "/rows") return (await pool.query("SELECT id FROM rows")).rows.map(({ id }) => id).join(",");
  if (method !== "POST") return VERSION;
  await pool.query("INSERT INTO rows (id) VALUES ($1) ON CONFLICT DO NOTHING", [Number(url.slice(1))]);
  return "stored";
}
const server = http.createServer((req, res) => {
  answer(req).then(
    (text) => res.end(text),
    (error) => { res.statusCode = 500; res.end(error.message); },
  );
});
async function begin() {
  try {
    await pool.query("CREATE TABLE IF NOT EXISTS rows (id bigint PRIMARY KEY)");
    server.listen(process.env.PORT, "0.0.0.0");
  } catch (error) {
    console.error(error.message);
    setTimeout(begin, 250);
  }
}
begin();
`;

let bundled: Promise<string> | undefined;

/**
 * An app that stores a row for each \`POST /<number>\`, and answers once it is committed; \`GET /rows\` lists them. It brings
 * its driver along: an engine of the test's own reaches no registry.
 */
export async function rowKeeper(version: string): Promise<Files> {
  bundled ??= build({
    stdin: { contents: SOURCE, resolveDir: import.meta.dirname, sourcefile: "server.cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["pg-native"],
    write: false,
    logLevel: "silent",
  }).then(({ outputFiles }) => outputFiles[0]!.text);
  const scripts = { start: "node server.js", build: "node build.js" };
  return {
    "package.json": JSON.stringify({ name: "app", private: true, scripts }),
    "build.js": `setTimeout(() => console.log("built ${version}"), ${BUILD_MS});`,
    "server.js": `const VERSION = ${JSON.stringify(version)};\n${await bundled}`,
  };
}
