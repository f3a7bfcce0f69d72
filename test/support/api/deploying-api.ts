import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { Caller, Reply, TestApi } from "./http.ts";
import { addApp, deployEnd, setEnv, startWorker, type Worker } from "./pipeline.ts";
import { eventually } from "../tools/eventually.ts";
import { ScriptedAgent, type StepScript } from "../agent/scripted-agent.ts";
import type { PipelineTiming } from "@svc/control-plane/deploys/pipeline/context.ts";

/** One server with a scripted agent, the API and a worker on one database. */
export class DeployingApi {
  readonly agent = new ScriptedAgent();
  readonly http: TestApi;
  readonly serverId: string;
  worker: Worker | undefined;

  static async start(http: TestApi, timing?: PipelineTiming): Promise<DeployingApi> {
    const serverId = await http.addServer(`server-${Math.random().toString(36).slice(2)}`);
    const setup = new DeployingApi(http, serverId);
    await setup.startWorker(timing);
    return setup;
  }

  private constructor(http: TestApi, serverId: string) {
    this.http = http;
    this.serverId = serverId;
  }

  async startWorker(timing?: PipelineTiming): Promise<void> {
    this.worker = await startWorker(this.http.database, timing);
    this.worker.links.up(this.serverId, this.agent);
  }

  async stopWorker(): Promise<void> {
    await this.worker?.stop();
    this.worker = undefined;
  }

  /** Until this is the last call of the agent. */
  async untilCalled(call: string): Promise<void> {
    await eventually(
      () => this.agent.calls,
      (calls) => calls.at(-1) === call,
      { what: call },
    );
  }

  /** Returns the last request for deploy_container. */
  lastContainer() {
    const spec = this.agent.requests.findLast((request) => request.step === Step.DEPLOY_CONTAINER)?.spec;
    if (spec?.case !== "deployContainer") throw new Error("no container was asked for");
    return spec.value;
  }

  async addApp(env: Record<string, string> = {}): Promise<DeployedApp> {
    const app = await addApp(this.http.database.db, { serverId: this.serverId, env });
    await this.http.database.query("update users set email_verified_at = now() where id = $1", [app.userId]);
    return new DeployedApp(this, app, await this.http.addCaller({ userId: app.userId }));
  }
}

export class DeployedApp {
  readonly id: string;
  readonly name: string;
  readonly caller: Caller;
  readonly #setup: DeployingApi;

  constructor(setup: DeployingApi, app: { id: string; name: string }, caller: Caller) {
    this.#setup = setup;
    this.id = app.id;
    this.name = app.name;
    this.caller = caller;
  }

  start(body?: unknown): Promise<Reply> {
    return this.caller.call("POST", `/api/apps/${this.name}/deploy`, body);
  }

  rollback(body?: unknown): Promise<Reply> {
    return this.caller.call("POST", `/api/apps/${this.name}/rollback`, body);
  }

  /** Builds the image whose digest is this hexadecimal digit 64 times, with this environment. Returns the deploy's id. */
  async deploy(image: string, options: { env?: Record<string, string>; body?: unknown } = {}): Promise<string> {
    const { agent, http } = this.#setup;
    if (options.env) await setEnv(http.database.db, this.id, options.env);
    agent.script(Step.CLONE_BUILD, built(image));
    const reply = await this.start(options.body);
    const id = String(reply.json["deploy_id"]);
    if (reply.status !== 202 || !reply.json["deploy_id"]) throw new Error(`deploy: ${reply.status} ${reply.text}`);
    const row = await deployEnd(http.database.db, id);
    if (row.status !== "success") throw new Error(`deploy ${row.status}: ${row.error}`);
    await this.lockFreed();
    return id;
  }

  /** The deploy's end is recorded before the agent hears of it. */
  async lockFreed(): Promise<void> {
    const { agent } = this.#setup;
    await eventually(
      () => [agent.lockHolder, ...agent.rollbacks.values()],
      (holders) => holders.every((holder) => holder === undefined),
      { what: "the lock is free" },
    );
  }

  async rollbackRows(): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#setup.http.database.query(
      "select id, status, error from deploys where app_id = $1 and kind = 'rollback' order by seq",
      [this.id],
    );
    return rows;
  }

  async view(): Promise<Record<string, unknown>> {
    const { json } = await this.caller.call("GET", "/api/apps");
    return (json["apps"] as Record<string, unknown>[]).find((one) => one["name"] === this.name)!;
  }

  /** The names of the deploys that the API lists, newest first. */
  async listed(): Promise<unknown[]> {
    const { json } = await this.caller.call("GET", `/api/apps/${this.name}/deploys`);
    return (json["deploys"] as Record<string, unknown>[]).map((one) => one["release"]);
  }
}

export function built(image: string, port = 3000): StepScript {
  const value = { commitSha: image.repeat(40), framework: "express", port, imageDigest: `sha256:${image.repeat(64)}` };
  return { outcome: { case: "success", value: { output: { case: "cloneBuild", value } } } };
}

export const failed = (code: string, message: string): StepScript => ({
  outcome: { case: "failure", value: { code, message } },
});
