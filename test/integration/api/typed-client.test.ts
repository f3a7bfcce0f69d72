import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import openapiTypescript, { astToString } from "openapi-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { promise } from "../../support/promises/promise.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

let http: TestApi;
let directory: string;

beforeAll(async () => {
  http = await startTestApi();
  // Below the workspace, so that the client's library is found, and where git and the checks do not look.
  directory = mkdtempSync(join(import.meta.dirname, "../../node_modules/.typed-client-"));
  const document: unknown = await (await http.api.request("/api/openapi.json")).json();
  writeFileSync(join(directory, "api.d.ts"), astToString(await openapiTypescript(JSON.stringify(document))));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await http?.stop();
});

const PROGRAM = `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

export async function useIt(key: string, fetch: (request: Request) => Promise<Response>): Promise<string[]> {
  const client = createClient<paths>({ baseUrl: "http://127.0.0.1", headers: { Authorization: "Bearer " + key }, fetch });
  const created = await client.POST("/api/apps", { body: { name: "typed", repo_url: "https://github.com/you/typed" } });
  const url: string = created.data!.app.url;
  const path = { name: "typed" };
  const env = await client.PUT("/api/apps/{name}/env", { params: { path }, body: { env: { GREETING: "hello" } } });
  const updated: number = env.data!.updated;
  const started = await client.POST("/api/apps/{name}/deploy", { params: { path }, body: {} });
  const status: "running" | "queued" = started.data!.status;
  const refused = await client.GET("/api/apps/{name}/deploys", { params: { path: { name: "none" } } });
  const code: string = refused.error!.error;
  return [url, String(updated), status, code];
}
`;

const compile = (name: string, text: string) => {
  writeFileSync(join(directory, name), text);
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "esnext",
    "--module",
    "nodenext",
  ];
  const imports = ["--allowImportingTsExtensions", "--lib", "esnext,dom"];
  return run(process.execPath, [join(root, "node_modules/.bin/tsc"), ...options, ...imports, join(directory, name)], {
    cwd: directory,
  });
};

test("a client generated from the document compiles and works", async () => {
  promise("versions", "the running server describes the API that it runs");
  const { stdout } = await compile("client.ts", PROGRAM).catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
  const { useIt } = (await import(pathToFileURL(join(directory, "client.ts")).href)) as {
    useIt(key: string, fetch: (request: Request) => Promise<Response>): Promise<string[]>;
  };
  const { key } = await http.addCaller();
  const answers = await useIt(key, async (request) => http.api.request(request));
  expect(answers).toEqual(["https://typed.apps.localhost:8443", "1", "queued", "not_found"]);
});

test.each([
  ['"/api/apps", { body: { name: "typed"', '"/api/apps", { body: { nome: "typed"'],
  ['"/api/apps/{name}/env"', '"/api/apps/{name}/environment"'],
  ["env.data!.updated", "env.data!.changed"],
])("it does not compile with a mistake: %s", async (right, wrong) => {
  expect(PROGRAM).toContain(right);
  await expect(compile("wrong.ts", PROGRAM.replace(right, wrong))).rejects.toMatchObject({
    stdout: expect.stringContaining("error TS") as string,
  });
});
