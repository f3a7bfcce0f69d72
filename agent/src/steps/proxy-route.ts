import { SvcError } from "@svc/shared/errors.ts";
import type { ProxyRouteSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { quoteLog } from "../engine/containers/app-failure.ts";
import { requireRoutedHosts } from "../platform/hostname.ts";
import { routesTo, targetOf } from "../edge/routes.ts";
import { lastLogLines } from "../engine/logs/last-log-lines.ts";
import type { ContainerState } from "../ports.ts";
import type { StepContext, StepDefinition } from "../runner/step.ts";
import { together } from "../platform/together.ts";
import { keepFormerRoutes, switchBack } from "./former-routes.ts";

/** Leads the app's hosts to the container of this deploy, and proves it by a request through the proxy. */
export const proxyRoute: StepDefinition<ProxyRouteSpec> = {
  async run(ctx, spec) {
    const routed = requireRoutedHosts(spec);
    const hosts = routed.map(({ host }) => host);
    const [container] = await together(runningContainer(ctx, spec.port), ctx.proxy.ensureRunning());
    await keepFormerRoutes(ctx);
    const { upstream } = targetOf(container);
    const { id: appId, ownerId } = ctx.app;
    ctx.output.progress(`switching to ${upstream}`);
    try {
      await ctx.proxy.setRoutes(appId, routesTo({ appId, ownerId, ...targetOf(container), state: "serving" }, routed));
      for (const host of hosts) await prove(ctx, host, upstream);
    } catch (error) {
      await switchBack(ctx, container.id).catch(() => {
        // The undo of the step tries it again; why the switch failed is what the user needs.
        ctx.output.log("The former routes could not be put back yet.");
      });
      throw await withLastLines(ctx, container, error);
    }
    return { case: "proxyRoute", value: { hosts, upstream } };
  },

  undo: (ctx) => switchBack(ctx),
};

async function prove({ proxy, output, signal }: StepContext, host: string, upstream: string): Promise<void> {
  const startedAt = performance.now();
  await proxy.prove(host, upstream, signal);
  output.log(`${host} is answered by the new container (after ${Math.round(performance.now() - startedAt)} ms)`);
}

/** Why the app did not answer is in its log, if anywhere. */
async function withLastLines({ engine }: StepContext, { id }: ContainerState, error: unknown): Promise<unknown> {
  if (!(error instanceof SvcError) || error.code !== "route_not_proven") return error;
  const lines = await lastLogLines(engine, id).catch(() => []);
  return new SvcError(error.code, error.message + quoteLog(lines), { cause: error });
}

async function runningContainer(ctx: StepContext, port: number): Promise<ContainerState> {
  const { engine } = ctx;
  let container = await containerOfDeploy(ctx);
  if (container.state === "exited") {
    // It was proven, and the engine starts one that ends by itself again: this one has ended with its engine.
    await engine.start(container.id);
    container = await containerOfDeploy(ctx);
  }
  if (container.state !== "running") {
    throw new SvcError(
      "app_exited",
      `The new container is ${container.state}, exit code ${container.exitCode ?? "unknown"}. ` +
        `Repair what its log says and deploy again.${quoteLog(await lastLogLines(engine, container.id))}`,
    );
  }
  if (container.port !== port) {
    throw new SvcError("invalid_request", `The container serves port ${container.port}, not ${port}.`);
  }
  return container;
}

async function containerOfDeploy({ engine, app, deployId }: StepContext): Promise<ContainerState> {
  const [container] = await engine.list({ appId: app.id, deployId, role: "app" });
  if (container) return container;
  throw new SvcError("app_exited", `Deploy ${deployId} has no container on this server. Deploy again.`);
}
