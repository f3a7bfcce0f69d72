import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { serializeRoutes, type Route } from "./routes.ts";
import { writeDurably } from "../platform/durable-file.ts";
import { RouteTableReader } from "./route-table-reader.ts";

const route: Route = { host: "a.test", appId: "1", containerId: "c", upstream: "10.0.0.2:80", state: "serving" };
let directory: string;
let file: string;
let complaints: string[];
let reader: RouteTableReader;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "routes-"));
  file = join(directory, "routes.json");
  complaints = [];
  reader = new RouteTableReader(file, (reason) => complaints.push(reason));
});

afterEach(() => rm(directory, { recursive: true }));

it("a change holds for the next look, and no file is an empty table", async () => {
  expect(reader.routes().size).toBe(0);
  for (const port of [1, 2, 3]) {
    await writeDurably(file, serializeRoutes([{ ...route, upstream: `10.0.0.2:${port}` }]));
    expect(reader.routes().get("a.test")?.upstream).toBe(`10.0.0.2:${port}`);
  }
});

it("the last good table goes on when the file is bad or gone, reported once", async () => {
  await writeDurably(file, serializeRoutes([route]));
  expect(reader.routes().size).toBe(1);
  await writeFile(file, "{");
  expect(reader.routes().size).toBe(1);
  expect(reader.routes().size).toBe(1);
  expect(complaints).toHaveLength(1);
  await rm(file);
  expect(reader.routes().size).toBe(1);
});

it("a bad file with nothing good before it is no table at all", async () => {
  await writeFile(file, "{");
  expect(() => reader.routes()).toThrow(/No route table/);
});
