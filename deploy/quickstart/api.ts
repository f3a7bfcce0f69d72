import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { SetupError } from "../setup/terminal.mjs";

const App = z.object({ name: z.string(), git_repo: z.string().nullish(), url: z.string() });
const Deploy = z.object({ id: z.string(), status: z.string(), error: z.string().nullish(), created_at: z.string() });
const Step = z.object({
  step_name: z.string(),
  step_order: z.number(),
  status: z.string(),
  output: z.string().nullish(),
  error: z.string().nullish(),
});
const DeployAnswer = z.object({ deploy_id: z.string().optional(), status: z.string() });
const ErrorAnswer = z.object({ error: z.string(), detail: z.string().optional() });

export type App = z.infer<typeof App>;
export type Deploy = z.infer<typeof Deploy>;
export type Step = z.infer<typeof Step>;

export interface NewApp {
  name: string;
  repo_url: string;
  needs_database: boolean;
}

/** The calls of the REST API that a quickstart makes. */
export interface Api {
  keyWorks(): Promise<boolean>;
  apps(): Promise<App[]>;
  createApp(app: NewApp): Promise<App>;
  /** undefined while another deploy runs on the server: this one is queued. */
  deploy(name: string): Promise<string | "queued" | "in_progress">;
  deploys(name: string): Promise<Deploy[]>;
  readDeploy(id: string): Promise<{ deploy: Deploy; steps: Step[] }>;
}

class ApiError extends SetupError {
  readonly status: number;
  readonly code: string;
  constructor(call: string, status: number, code: string, detail: string) {
    super(`${call} was answered ${status}.`, detail, "See the control plane's log.");
    this.status = status;
    this.code = code;
  }
}

export function createApi(baseUrl: string, apiKey: string): Api {
  async function call(method: string, path: string, body?: object): Promise<unknown> {
    for (;;) {
      const headers: Record<string, string> = { authorization: `Bearer ${apiKey}` };
      if (body !== undefined) headers["content-type"] = "application/json";
      const res = await fetch(`${baseUrl}${path}`, { method, headers, body: body && JSON.stringify(body) });
      const text = await res.text();
      if (res.ok) return text === "" ? undefined : JSON.parse(text);
      // Somebody else writes with the same key, or the quickstart was run several times in a row.
      if (res.status === 429) await delay(1000 * Number(res.headers.get("retry-after") ?? 1));
      else throw failure(`${method} ${path}`, res.status, text);
    }
  }

  return {
    async keyWorks() {
      try {
        await call("GET", "/api/apps");
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return false;
        throw error;
      }
    },
    apps: async () => z.object({ apps: z.array(App) }).parse(await call("GET", "/api/apps")).apps,
    createApp: async (app) => z.object({ app: App }).parse(await call("POST", "/api/apps", app)).app,
    async deploy(name) {
      try {
        const answer = DeployAnswer.parse(await call("POST", `/api/apps/${name}/deploy`, {}));
        return answer.deploy_id ?? "queued";
      } catch (error) {
        if (error instanceof ApiError && error.code === "deploy_in_progress") return "in_progress";
        throw error;
      }
    },
    deploys: async (name) =>
      z.object({ deploys: z.array(Deploy) }).parse(await call("GET", `/api/apps/${name}/deploys?limit=1`)).deploys,
    readDeploy: async (id) =>
      z.object({ deploy: Deploy, steps: z.array(Step) }).parse(await call("GET", `/api/deploys/${id}`)),
  };
}

function failure(call: string, status: number, text: string): ApiError {
  let answer: z.infer<typeof ErrorAnswer>;
  try {
    answer = ErrorAnswer.parse(JSON.parse(text));
  } catch {
    answer = { error: text.slice(0, 200) };
  }
  return new ApiError(call, status, answer.error, [answer.error, answer.detail].filter(Boolean).join(": "));
}
