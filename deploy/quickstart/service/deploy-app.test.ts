import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Service } from "svc-cli/api/client.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deployApp, type NewApp } from "./deploy-app.ts";

const app: NewApp = { name: "hello", repo_url: "https://localhost:1/hello.git", needs_database: true };
const success = { id: "d2", status: "success" };

type Answer = { status?: number; body?: unknown };
type Answers = Record<string, Answer | (() => Answer)>;

let server: Server;
let calls: string[];

beforeEach(() => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  calls = [];
});
afterEach(() => server.close());

/** An API whose app is new and whose deploy succeeds, unless an answer says otherwise. */
async function startApi(answers: Answers): Promise<Service> {
  const all: Answers = {
    "GET /api/apps": { body: { apps: [] } },
    "POST /api/apps": { status: 201, body: { app: {} } },
    "GET /api/apps/hello/deploys": { body: { deploys: [] } },
    "POST /api/apps/hello/deploy": { status: 202, body: { deploy_id: "d2", status: "running" } },
    "GET /api/deploys/d2/events": { status: 204 },
    "GET /api/deploys/d2": { body: { deploy: success, steps: [] } },
    ...answers,
  };
  server = createServer((req, res) => {
    const call = `${req.method} ${req.url?.split("?")[0]}`;
    calls.push(call);
    const known = all[call];
    const { status = 200, body } = (typeof known === "function" ? known() : known) ?? { status: 404 };
    res.writeHead(status, { "content-type": "application/json" });
    res.end(body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return connect({ url, key: "svc_key" }, () => undefined);
}

/** The answers in their order, the last of them for ever. */
function inTurn(...answers: Answer[]): () => Answer {
  return () => (answers.length > 1 ? answers.shift()! : answers[0]!);
}

const withApp = (repository: string): Answer => ({ body: { apps: [{ name: "hello", git_repo: repository }] } });

test("an app that exists is deployed again, not made again", async () => {
  await deployApp(await startApi({ "GET /api/apps": withApp(app.repo_url) }), app);
  expect(calls).not.toContain("POST /api/apps");
});

test("a sample that was cloned from localhost gets its new address, and an app from elsewhere is left alone", async () => {
  const patched = { "PATCH /api/apps/hello": { body: { app: {} } } };
  const sample = { ...app, repo_url: "https://127.83.0.1:1/hello.git" };
  await deployApp(await startApi({ "GET /api/apps": withApp("https://localhost:1/hello.git"), ...patched }), sample);
  expect(calls).toContain("PATCH /api/apps/hello");
  server.close();
  calls = [];
  const other = deployApp(
    await startApi({ "GET /api/apps": withApp("https://localhost:1/own.git"), ...patched }),
    sample,
  );
  await expect(other).rejects.toThrow("deploys from another repository");
  expect(calls).not.toContain("PATCH /api/apps/hello");
});

test("a queued deploy is followed once it runs, not the one before it", async () => {
  const old = { body: { deploys: [{ id: "d1", status: "success" }] } };
  const api = await startApi({
    "GET /api/apps": inTurn({ body: { apps: [] } }, withApp(app.repo_url)),
    "POST /api/apps/hello/deploy": { status: 202, body: { status: "queued" } },
    "GET /api/apps/hello/deploys": inTurn(old, old, { body: { deploys: [success] } }),
  });
  await deployApp(api, app);
  expect(calls).toContain("GET /api/deploys/d2");
});

test("a deploy of a run that was killed is waited for", async () => {
  const running = { status: 409, body: { error: "deploy_in_progress", detail: "" } };
  const deploy = inTurn(running, { status: 202, body: { deploy_id: "d2", status: "running" } });
  await deployApp(await startApi({ "POST /api/apps/hello/deploy": deploy }), app);
  expect(calls.filter((call) => call === "POST /api/apps/hello/deploy")).toHaveLength(2);
});

test("a failed deploy tells the step, its error and the end of its output", async () => {
  const step = { step_name: "clone_build", status: "failed", output: "npm ERR!", error: "The build failed." };
  const failed = { body: { deploy: { ...success, status: "failed" }, steps: [step] } };
  const promise = deployApp(await startApi({ "GET /api/deploys/d2": failed }), app);
  await expect(promise).rejects.toThrow(/failed in clone_build[^]*The build failed\.\nnpm ERR!/);
});

test("an app of the same name from elsewhere is left alone", async () => {
  const api = await startApi({ "GET /api/apps": withApp("https://example.com/x.git") });
  await expect(deployApp(api, app)).rejects.toThrow(/deploys from another repository/);
});
