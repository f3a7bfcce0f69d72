import { sql } from "kysely";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import { openAuthority } from "@svc/control-plane/fleet/authority/open-authority.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import { STEP_NAMES } from "@svc/shared/rules/steps.ts";
import type { StepContext, StepOutputMessage } from "@svc/agent/runner/step.ts";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { newDataDirectory, startAgentInProcess, type AgentInProcess } from "./agent-in-process.ts";
import { startControlPlanes, type ControlPlanes } from "../platform/control-planes.ts";
import { eventually } from "../tools/eventually.ts";

const LINE_MS = 20;

/** Outputs of the four steps of a deploy, in their order. */
const OUTPUTS: StepOutputMessage[] = [
  {
    case: "provisionDb",
    value: { databaseUrl: "postgres://shop:pw@database:5432/shop", databaseName: "shop", version: "16" },
  },
  {
    case: "cloneBuild",
    value: { commitSha: "a".repeat(40), framework: "express", port: 3000, imageDigest: `sha256:${"b".repeat(64)}` },
  },
  { case: "deployContainer", value: { containerId: "c1", upstream: "10.210.0.16:3000" } },
  { case: "proxyRoute", value: { hosts: ["shop.apps.localhost"], upstream: "10.210.0.16:3000" } },
];

/**
 * Control planes as processes, and the real agent of one server on a host that is played: each step of a deploy writes
 * numbered lines until the test has it end.
 */
export interface SteppedDeploys {
  planes: ControlPlanes;
  agent: AgentInProcess;
  /** How often any step was started on the agent. */
  runs(): number;
  /** Starts a deploy of a new app with a database. */
  start(): Promise<string>;
  /** The deploy, its step at that place, and how many lines the database has of it. */
  read(deployId: string, order: number): Promise<Progress>;
  /** Resolves once more lines of the step are stored than there were. */
  more(deployId: string, order: number, than: number, deadlineMs?: number): Promise<Progress>;
  /** Ends the step that runs with success. */
  endStep(): void;
  stop(): Promise<void>;
}

export interface Progress {
  status: string;
  error: string | null;
  attempt: number;
  stepStatus: string;
  run: number;
  lines: string[];
}

/** @param via where the agent reaches the control planes; the first of them by default */
export async function startSteppedDeploys(
  count: number,
  via: (agents: ControlPlanes["agents"]) => HostPort | Promise<HostPort> = ([first]) => first!.address,
): Promise<SteppedDeploys> {
  const planes = await startControlPlanes(count);
  const { db } = planes.database;
  const { fingerprint } = await openAuthority(db, planes.agents[0]!.dataDirectory);
  const { token } = await createJoinToken(db, fingerprint, byCommand);
  const controlPlane = await via(planes.agents);
  const agent = await startAgentInProcess(await newDataDirectory(), { controlPlane, joinToken: token });
  const { key } = await planes.addKey();

  let runs = 0;
  let end = Promise.withResolvers<void>();
  agent.script.run = async (ctx) => {
    const output = OUTPUTS[runs++ % OUTPUTS.length]!;
    end = Promise.withResolvers();
    await writeLinesUntil(end.promise, ctx);
    return output;
  };

  const call = async (path: string, body: object): Promise<{ deploy_id?: string }> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(planes.baseUrls[0] + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { deploy_id?: string };
  };
  const read: SteppedDeploys["read"] = async (deployId, order) => {
    const { rows } =
      await sql<Progress>`select d.status, d.error, d.attempt, s.status as "stepStatus", s.run, coalesce((
          select json_agg(line order by e.number, at) from deploy_events e,
            jsonb_array_elements_text(e.payload->'lines') with ordinality as of_row (line, at)
          where e.deploy_id = d.id and e.kind = 'log' and e.step_order = s.step_order), '[]') as lines
        from deploys d join deploy_steps s on s.deploy_id = d.id
        where d.id = ${deployId} and s.step_order = ${order}`.execute(db);
    return rows[0]!;
  };

  return {
    planes,
    agent,
    runs: () => runs,
    async start() {
      const name = `shop-${runs}`;
      await call("/api/apps", { name, repo_url: "https://git.example.test/team/shop.git", needs_database: true });
      const { deploy_id: id } = await call(`/api/apps/${name}/deploy`, {});
      if (id === undefined) throw new Error("the deploy did not start");
      return id;
    },
    read,
    more: (deployId, order, than, deadlineMs = 20_000) =>
      eventually(
        () => read(deployId, order),
        ({ lines }) => lines.length > than,
        { what: `more than ${than} lines of ${STEP_NAMES[order - 1]}`, deadlineMs, intervalMs: 20 },
      ),
    endStep: () => end.resolve(),
    async stop() {
      await agent.stop();
      await planes.stop();
    },
  };
}

async function writeLinesUntil(end: Promise<void>, { output, signal }: StepContext): Promise<void> {
  let hasEnded = false;
  void end.then(() => (hasEnded = true));
  for (let line = 1; !hasEnded; line++) {
    signal.throwIfAborted();
    output.log(String(line));
    await new Promise((resolve) => setTimeout(resolve, LINE_MS));
  }
}
