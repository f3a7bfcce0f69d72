import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PAGES } from "@svc/control-plane/api/serve-page.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";

let http: TestApi;
beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());

const BROWSER = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const get = async (path: string, headers: Record<string, string> = {}) => http.api.request(path, { headers });
const filesOf = (html: string) => [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);

test.for(["/", ...Object.keys(PAGES)])(
  "%s is a small document that is never stored, under a strict policy",
  async (path) => {
    const response = await get(path, BROWSER);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
    const html = await response.text();
    expect(html.length).toBeLessThan(1500);
    const [own, ...others] = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script]) => script!);
    expect(others).toEqual([]);
    const hash = createHash("sha256").update(own!).digest("base64");
    expect(response.headers.get("Content-Security-Policy")).toBe(
      `default-src 'none'; script-src 'self' 'sha256-${hash}'; ` +
        "style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    const { headers } = response;
    const rest = ["Cache-Control", "X-Content-Type-Options", "Referrer-Policy"].map((name) => headers.get(name));
    expect(rest).toEqual(["no-store", "nosniff", "no-referrer"]);
  },
);

test.for(["/", ...Object.keys(PAGES)])(
  "%s loads less than 30 kB, compressed, in files that a browser keeps for ever",
  async (path) => {
    const html = await (await get(path, BROWSER)).text();
    const files = filesOf(html);
    expect(files.length).toBeGreaterThanOrEqual(2);
    let bytes = html.length;
    for (const file of files) {
      const response = await get(file, { "Accept-Encoding": "gzip" });
      bytes += (await response.arrayBuffer()).byteLength;
      expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
      expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(response.headers.get("Content-Type")).toBe(
        file.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
      );
    }
    expect(bytes).toBeLessThan(30_000);
  },
);

test("a script has the same content however it is compressed", async () => {
  const [file = ""] = filesOf(await (await get("/sign-in")).text());
  const plain = Buffer.from(await (await get(file)).arrayBuffer());
  const gzip = await get(file, { "Accept-Encoding": "gzip, deflate" });
  expect([gzip.headers.get("Content-Encoding"), gzip.headers.get("Vary")]).toEqual(["gzip", "Accept-Encoding"]);
  expect(gunzipSync(Buffer.from(await gzip.arrayBuffer())).equals(plain)).toBe(true);
  const brotli = await get(file, { "Accept-Encoding": "gzip, deflate, br" });
  expect(brotli.headers.get("Content-Encoding")).toBe("br");
});

test("a program that asks for / gets the addresses of the API, and a browser a page", async () => {
  const response = await get("/", { Accept: "*/*" });
  expect([response.headers.get("Vary"), await response.json()]).toEqual([
    "Accept",
    expect.objectContaining({ docs: "/api/docs" }),
  ]);
  expect((await get("/", BROWSER)).headers.get("Vary")).toBe("Accept");
});

test.for([
  "/assets/",
  "/assets/sign-in.js",
  "/assets/sign-in-AAAAAAAA.js",
  "/assets/sign-in.html",
  "/assets/..%2fcontrol-plane.mjs",
  "/assets/%2e%2e/control-plane-AAAAAAAA.js",
  "/assets/a/b-AAAAAAAA.js",
  "/settings",
  "/sign-in/",
])("%s is answered with 404", async (path) => {
  expect((await get(path, BROWSER)).status).toBe(404);
});

test("a page is asked for with GET and HEAD alone", async () => {
  const head = await http.api.request("/sign-in", { method: "HEAD" });
  expect([head.status, await head.text(), head.headers.get("Cache-Control")]).toEqual([200, "", "no-store"]);
  const post = await http.api.request("/sign-in", { method: "POST" });
  expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
});

test("an address that leads nowhere is a page for a browser, and JSON for a program", async () => {
  const page = await get("/nonsense", BROWSER);
  expect([page.status, page.headers.get("Content-Type")]).toEqual([404, "text/html; charset=utf-8"]);
  const answer = await get("/nonsense", { Accept: "application/json" });
  expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ error: "not_found" })]);
});
