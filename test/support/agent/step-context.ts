import type { AppRef, Engine, Git, Host, Proxy, Route, RunOutput } from "@svc/agent/ports.ts";
import { createHost } from "@svc/agent/host/host.ts";
import type { StepContext } from "@svc/agent/runner/step.ts";

export interface TestStep {
  ctx: StepContext;
  /** The lines that the user would have read. */
  lines: string[];
  /** The routes that the proxy serves; the test changes them. */
  routes: Route[];
}

/** A run of a step with a real engine and a proxy that is only a table. */
export function createTestStep(options: {
  app: AppRef & { ownerId?: string };
  deployId: string;
  engine: Engine;
  signal?: AbortSignal;
}): TestStep {
  const lines: string[] = [];
  const routes: Route[] = [];
  const output: RunOutput = {
    log: (line) => lines.push(line),
    progress: (message) => lines.push(message),
    checkedOut: () => undefined,
  };
  const host: Host = createHost();
  const ctx: StepContext = {
    app: { ownerId: options.app.id, ...options.app },
    deployId: options.deployId,
    output,
    signal: options.signal ?? new AbortController().signal,
    handover: {},
    engine: options.engine,
    git: unusedGit,
    proxy: tableProxy(routes),
    host,
    dataDirectory: "/nonexistent",
  };
  return { ctx, lines, routes };
}

const unusedGit: Git = { checkout: () => Promise.reject(new Error("this step fetches nothing")) };

function tableProxy(routes: Route[]): Proxy {
  const switchTo = (appId: string, next: readonly Route[]): Promise<void> => {
    const others = routes.filter((route) => route.appId !== appId);
    routes.splice(0, routes.length, ...others, ...next);
    return Promise.resolve();
  };
  return {
    ensureRunning: () => Promise.resolve(),
    describe: () => Promise.resolve({ reachable: true, version: "test", internalCaPem: "" }),
    routes: () => Promise.resolve([...routes]),
    setRoutes: switchTo,
    updateRoutes: (appId, next) => switchTo(appId, next(routes.filter((route) => route.appId === appId))),
    prove: () => Promise.resolve(),
    setCertificatePolicy: () => Promise.resolve(),
    certificate: () => Promise.resolve({ notAfter: undefined, failure: "", usedUp: "", nextOrderAt: undefined }),
    requestsInFlight: () => Promise.resolve(0),
    allRequestsInFlight: () => Promise.resolve(new Map()),
  };
}
