import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";

let http: TestApi;
let ada: Caller;
let apps = 0;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
});
afterAll(() => http?.stop());

async function newApp(): Promise<{ name: string; put(body: object): ReturnType<Caller["call"]> }> {
  const name = `shop-${++apps}`;
  await ada.call("POST", "/api/apps", { name, repo_url: "https://git.example.com/ada/shop" });
  return { name, put: (body) => ada.call("PUT", `/api/apps/${name}/env`, body) };
}

const read = async (name: string) => (await ada.call("GET", `/api/apps/${name}/env`)).json;

test("a sealed variable is named and its value is never answered, also after it was set anew", async () => {
  const { name, put } = await newApp();
  expect(await put({ env: { OPEN: "a", TOKEN: "s3cret-one" }, sealed: ["TOKEN"] })).toMatchObject({ status: 200 });
  expect(await read(name)).toEqual({ env: { OPEN: "a" }, sealed: ["TOKEN"] });
  await put({ env: { TOKEN: "s3cret-two" } });
  expect(await read(name)).toEqual({ env: { OPEN: "a" }, sealed: ["TOKEN"] });
});

test("a variable that is there already is sealed without being written again", async () => {
  const { name, put } = await newApp();
  await put({ env: { TOKEN: "s3cret" } });
  expect(await put({ env: {}, sealed: ["TOKEN", "TOKEN"] })).toMatchObject({ status: 200, json: { updated: 0 } });
  expect(await read(name)).toEqual({ env: {}, sealed: ["TOKEN"] });
});

test("sealing what the app does not have is refused, and changes nothing", async () => {
  const { name, put } = await newApp();
  const { status, json } = await put({ env: { A: "1" }, sealed: ["B"] });
  expect(status).toBe(400);
  expect(json).toMatchObject({ error: "invalid_request", detail: expect.stringContaining('"B"') as string });
  expect(await read(name)).toEqual({ env: {} });
});

test("a variable that browsers load can't be sealed, and the refusal says why", async () => {
  const { name, put } = await newApp();
  const { status, json } = await put({ env: { VITE_KEY: "seen" }, sealed: ["VITE_KEY"] });
  expect([status, json["error"]]).toEqual([400, "invalid_request"]);
  expect(json["detail"]).toMatch(/"VITE_KEY".*every visitor's browser/);
  expect(await read(name)).toEqual({ env: {} });
});

test("without a sealed variable the answer is the specified one", async () => {
  const { name, put } = await newApp();
  await put({ env: { A: "1" } });
  expect(await read(name)).toEqual({ env: { A: "1" } });
});

test("a variable that was deleted and made again is not sealed", async () => {
  const { name, put } = await newApp();
  await put({ env: { TOKEN: "s3cret" }, sealed: ["TOKEN"] });
  await ada.call("DELETE", `/api/apps/${name}/env/TOKEN`);
  await put({ env: { TOKEN: "plain" } });
  expect(await read(name)).toEqual({ env: { TOKEN: "plain" } });
});

test("the record of what was done names the variables that were sealed, and no value", async () => {
  const { put } = await newApp();
  await put({ env: { TOKEN: "s3cret-in-audit" }, sealed: ["TOKEN"] });
  const rows = await http.database.query(
    "select detail from audit_log where action = 'env.put' order by id desc limit 1",
  );
  expect(JSON.stringify(rows)).toContain('"sealed":["TOKEN"]');
  expect(JSON.stringify(rows)).not.toContain("s3cret-in-audit");
});
