import { once } from "node:events";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import type { AgentClient, AgentLinks } from "@svc/control-plane/ports.ts";
import {
  AgentService,
  ErrorDetailSchema,
  Step,
  StepSchema,
  type RunStepRequest,
} from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { StepEventSchema, type StepEvent, type StepResultSchema } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";

type Outcome = MessageInitShape<typeof StepResultSchema>["outcome"];

/** The agent's behaviour in a step: its log lines, and how it ends; `hang` waits until it is canceled or finished. */
export interface StepScript {
  lines?: readonly string[];
  /** Lines that come together, one event each. */
  batches?: readonly (readonly string[])[];
  /** The commit that it tells of. */
  checkedOut?: string;
  outcome?: Outcome | "hang";
  /** The stream breaks once after this many events. */
  breakAfter?: number;
}

const OUTPUTS: Readonly<Record<number, Outcome>> = {
  [Step.PROVISION_DB]: {
    case: "success",
    value: {
      output: {
        case: "provisionDb",
        value: { databaseUrl: "postgres://shop:pw-of-the-database@database:5432/shop", databaseName: "shop" },
      },
    },
  },
  [Step.CLONE_BUILD]: {
    case: "success",
    value: {
      output: {
        case: "cloneBuild",
        value: { commitSha: "a".repeat(40), framework: "express", port: 3000, imageDigest: `sha256:${"b".repeat(64)}` },
      },
    },
  },
  [Step.DEPLOY_CONTAINER]: {
    case: "success",
    value: { output: { case: "deployContainer", value: { containerId: "c1", upstream: "10.210.0.16:3000" } } },
  },
  [Step.PROXY_ROUTE]: {
    case: "success",
    value: { output: { case: "proxyRoute", value: { hosts: ["shop.apps.test"], upstream: "10.210.0.16:3000" } } },
  },
};

/** No spec file asks for a database. */
const NOT_NEEDED: Outcome = {
  case: "success",
  value: { output: { case: "provisionDb", value: { notNeeded: true } } },
};

/** An agent that keeps its word on the wire (lock, numbered journal, resume, cancel) and does nothing on a host. */
export class ScriptedAgent {
  /**
   * One entry per call that has an effect, such as `run CLONE_BUILD 1`: that provision_db has a look at the source of an
   * app without a database is none.
   */
  readonly calls: string[] = [];
  /** The requests, each time that a step is asked for. */
  readonly requests: RunStepRequest[] = [];
  /** Deploy and step, in the order in which they were taken back. */
  readonly undone: string[] = [];
  lockHolder: { deployId: string; attempt: number } | undefined;
  /** Locks of rollbacks, by app. */
  readonly rollbacks = new Map<string, { deployId: string; attempt: number }>();
  /** The deploys to keep, as the last unlock named them. */
  keptDeployIds: readonly string[] = [];
  undoFails = false;
  lockRefused = false;
  /** Its calls but for those of a step are taken and not answered, as by an agent whose disk hangs. */
  mute = false;
  /** Runs while a call that starts a step is on its way. */
  onTheWay: (step: Step) => Promise<unknown> = () => Promise.resolve();
  /** How many streams of steps are open. */
  attached = 0;
  /** So that a stream which is about to wait breaks too. */
  #cuts = 0;
  readonly #looked = new Set<string>();
  readonly #streams = new Set<(error: Error) => void>();
  readonly #scripts = new Map<Step, StepScript[]>();
  readonly #journals = new Map<
    string,
    { events: StepEvent[]; script: StepScript; broken: boolean; wake: (() => void)[] }
  >();

  /**
   * The calls up to the first that freed the lock. A worker that looks between the deploy's success and that call frees the
   * lock of the ended deploy itself, and cancels what may still run before: that changes nothing, and is left out.
   */
  callsUntilRelease(): string[] {
    const calls = this.calls.filter((call) => call !== "cancel");
    return calls.slice(0, calls.indexOf("release succeeded") + 1);
  }

  /** The scripts of a step, one per run of it in any deploy; the last one is repeated. */
  script(step: Step, ...scripts: StepScript[]): void {
    this.#scripts.set(step, scripts);
  }

  client(): AgentClient {
    const transport = createRouterTransport(({ service }) => {
      service(AgentService, {
        takeLock: async ({ lock, app, rollback }, { signal }) => {
          await this.#silence(signal);
          if (this.lockRefused) throw refused("disk_full");
          const holder = { deployId: lock!.deployId, attempt: lock!.attempt };
          const other = rollback ? this.rollbacks.get(app!.id) : this.lockHolder;
          if (other && other.deployId !== holder.deployId) throw refused("lock_held");
          if (rollback) this.rollbacks.set(app!.id, holder);
          else this.lockHolder = holder;
          this.calls.push("lock");
          return {};
        },
        renewLock: () => ({}),
        releaseLock: async ({ lock, app, succeeded, keptDeployIds }, { signal }) => {
          await this.#silence(signal);
          if (!app) throw refused("invalid_request");
          if (this.#runs(lock!.deployId)) throw refused("deploy_in_progress");
          if (this.lockHolder?.deployId === lock!.deployId) this.lockHolder = undefined;
          if (this.rollbacks.get(app.id)?.deployId === lock!.deployId) this.rollbacks.delete(app.id);
          this.keptDeployIds = keptDeployIds;
          this.calls.push(succeeded ? "release succeeded" : "release");
          return {};
        },
        getStatus: async (_, { signal }) => {
          await this.#silence(signal);
          const rollbacks = [...this.rollbacks.values()].map((holder) => ({ holder }));
          return { status: { ...(this.lockHolder && { lock: { holder: this.lockHolder } }), rollbacks } };
        },
        runStep: (request, context) => {
          const { deployId, attempt } = request.lock!;
          const holders = [this.lockHolder, ...this.rollbacks.values()];
          if (!holders.some((holder) => holder?.deployId === deployId && attempt >= holder.attempt)) {
            throw refused("stale_attempt");
          }
          this.attached += 1;
          context.signal.addEventListener("abort", () => (this.attached -= 1), { once: true });
          return this.#run(request, context.signal);
        },
        cancelDeploy: async ({ lock }, { signal }) => {
          await this.#silence(signal);
          this.calls.push("cancel");
          let canceled = false;
          for (const [key, journal] of this.#journals) {
            if (!key.startsWith(lock!.deployId) || ended(journal.events)) continue;
            append(journal.events, { case: "result", value: { outcome: { case: "canceled", value: {} } } });
            for (const wake of journal.wake.splice(0)) wake();
            canceled = true;
          }
          return { canceled };
        },
        undoStep: ({ deployId, step }) => {
          if (this.#runs(deployId)) throw refused("deploy_in_progress");
          if (this.undoFails) throw refused("engine_unavailable");
          if (step === Step.PROVISION_DB && this.#looked.has(deployId)) return {};
          this.calls.push(`undo ${nameOf(step)}`);
          this.undone.push(`${deployId} ${nameOf(step)}`);
          return {};
        },
        // Has each image already.
        importApp: () => Promise.resolve({}),
        stopApp: () => (this.calls.push("stop"), {}),
        startApp: () => (this.calls.push("start"), {}),
        removeApp: () => (this.calls.push("remove"), {}),
      });
    });
    return createClient(AgentService, transport);
  }

  /** Ends the step that hangs. */
  finish(step: Step, outcome: Outcome = OUTPUTS[step]!): void {
    for (const [key, journal] of this.#journals) {
      if (key.split("/")[1] !== String(step) || ended(journal.events)) continue;
      append(journal.events, { case: "result", value: { outcome } });
      for (const wake of journal.wake.splice(0)) wake();
    }
  }

  async #silence(signal: AbortSignal): Promise<void> {
    if (this.mute) await once(signal, "abort");
  }

  #runs(deployId: string): boolean {
    return [...this.#journals].some(([key, { events }]) => key.startsWith(deployId) && !ended(events));
  }

  /** Every open stream breaks, as when the connection dies. */
  cut(): void {
    this.#cuts += 1;
    for (const fail of this.#streams) fail(connectionLost());
    this.#streams.clear();
  }

  async *#run(request: RunStepRequest, signal: AbortSignal) {
    await this.onTheWay(request.step);
    const key = `${request.lock!.deployId}/${request.step}/${request.run}`;
    const isLook = request.spec.case === "provisionDb" && request.spec.value.source && !request.spec.value.wanted;
    let journal = this.#journals.get(key);
    if (!journal) {
      if (isLook) this.#looked.add(request.lock!.deployId);
      else this.calls.push(`run ${nameOf(request.step)} ${request.run}`);
      const scripts = this.#scripts.get(request.step) ?? [];
      const script = (scripts.length > 1 ? scripts.shift() : scripts[0]) ?? {};
      journal = { events: [], script, broken: false, wake: [] };
      for (const lines of script.batches ?? (script.lines ?? []).map((line) => [line])) {
        append(journal.events, { case: "logLines", value: { lines: [...lines] } });
      }
      if (script.checkedOut !== undefined)
        append(journal.events, { case: "checkedOut", value: { commitSha: script.checkedOut } });
      const outcome = script.outcome ?? (isLook ? NOT_NEEDED : OUTPUTS[request.step]!);
      if (outcome !== "hang") append(journal.events, { case: "result", value: { outcome } });
      this.#journals.set(key, journal);
    }
    if (!isLook) this.requests.push(request);
    const cuts = this.#cuts;
    let next = Number(request.afterEvent);
    for (;;) {
      while (next < journal.events.length) {
        if (journal.script.breakAfter === next && !journal.broken) {
          journal.broken = true;
          throw new ConnectError("stream broke", Code.Unavailable);
        }
        yield { events: [journal.events[next++]!] };
      }
      if (ended(journal.events)) return;
      if (this.#cuts !== cuts) throw connectionLost();
      await new Promise<void>((resolve, reject) => {
        journal.wake.push(resolve);
        this.#streams.add(reject);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      signal.throwIfAborted();
    }
  }
}

function nameOf(step: Step): string {
  return StepSchema.value[step]?.localName ?? String(step);
}

type EventBody = NonNullable<MessageInitShape<typeof StepEventSchema>["body"]>;

function append(events: StepEvent[], body: EventBody): void {
  events.push(
    create(StepEventSchema, { number: BigInt(events.length + 1), time: timestampFromDate(new Date()), body }),
  );
}

function ended(events: readonly StepEvent[]): boolean {
  return events.at(-1)?.body.case === "result";
}

function connectionLost(): ConnectError {
  return new ConnectError("connection lost", Code.Unavailable);
}

/** How an agent refuses. */
export function refused(code: string): ConnectError {
  const detail = { desc: ErrorDetailSchema, value: { code } };
  return new ConnectError(`refused: ${code}`, Code.FailedPrecondition, undefined, [detail]);
}

/** Links that a test brings up and takes down. */
export class ScriptedLinks implements AgentLinks {
  readonly #agents = new Map<string, { client: AgentClient; agent: ScriptedAgent }>();
  readonly #listeners = new Set<(serverId: string) => void>();

  up(serverId: string, agent: ScriptedAgent): void {
    this.#agents.set(serverId, { client: agent.client(), agent });
    for (const listener of this.#listeners) listener(serverId);
  }

  down(serverId: string): void {
    const link = this.#agents.get(serverId);
    this.#agents.delete(serverId);
    link?.agent.cut();
    for (const listener of this.#listeners) listener(serverId);
  }

  agent(serverId: string): AgentClient | undefined {
    return this.#agents.get(serverId)?.client;
  }

  linkedServers(): string[] {
    return [...this.#agents.keys()];
  }

  onChange(listener: (serverId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
