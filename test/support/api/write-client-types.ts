/**
 * Writes the types of the command-line tool's client as the API's own description gives them: `npm run client`. With
 * `--check` it writes nothing, and says whether they are what is there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTypescript, { astToString } from "openapi-typescript";
import { readOpenApiDocument } from "./undeployed-api.ts";

const FILE = "cli/src/gen/api.ts";
const path = join(import.meta.dirname, "../../..", FILE);

const types = astToString(await openapiTypescript(await readOpenApiDocument()));
const text = `// Generated from the API's OpenAPI document by \`npm run client\`; do not edit.\n${types}`;
if (!process.argv.includes("--check")) {
  writeFileSync(path, text);
} else if (readFileSync(path, "utf8") !== text) {
  process.stderr.write(`${FILE} is not what the OpenAPI document gives.\nRun: npm run client\n`);
  process.exitCode = 1;
}
