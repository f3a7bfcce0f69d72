import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "../doubles/git-host.ts";

/** A Node app without dependencies: builds in a second. `body` is the text of `function answer(req)`. */
export function nodeApp(body = 'return "hello"'): Files {
  return {
    "package.json": JSON.stringify({ name: "app", private: true, scripts: { start: "node server.js" } }),
    "server.js": `const http = require("node:http");
function answer(req) { ${body} }
http.createServer((req, res) => { try { res.end(String(answer(req))) } catch (error) { res.statusCode = 500; res.end(String(error)) } })
  .listen(process.env.PORT, "0.0.0.0");
`,
  };
}

/** An app whose start script is this program. */
export function program(source: string): Files {
  return {
    "package.json": JSON.stringify({ name: "app", private: true, scripts: { start: "node server.js" } }),
    "server.js": source,
  };
}

/** A repository that brings its own Dockerfile. */
export function dockerfileApp(lines: readonly string[]): Files {
  return { Dockerfile: ["FROM node:22-slim", ...lines, ""].join("\n") };
}

/** One of deploy/quickstart/samples, as a user gets it. */
export function sample(name: string): Files {
  const root = new URL(`../../../deploy/quickstart/samples/${name}/`, import.meta.url).pathname;
  const files: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes("node_modules")) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(root.length)] = readFileSync(path, "utf8");
  }
  return files;
}
