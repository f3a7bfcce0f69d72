import { createClient, createRouterTransport } from "@connectrpc/connect";
import { AgentService, type PlanSourceRequest } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { TestApi } from "../api/http.ts";
import { refused } from "./scripted-agent.ts";

/** An agent that answers each plan alike, on a server that takes new apps. */
export class PlanningAgent {
  /** What it was asked, the last at the end. */
  readonly asked: PlanSourceRequest[] = [];
  /** Plans for which nobody waited any more. */
  givenUp = 0;
  /** Each plan is refused with this code. */
  refusal: string | undefined;
  /** No plan is answered before. */
  untilAnswered: Promise<void> = Promise.resolve();

  static async add(http: TestApi, server = "planner"): Promise<PlanningAgent> {
    const agent = new PlanningAgent();
    http.links.clients.set(await http.addServer(server), agent.#client());
    return agent;
  }

  /** An agent from before there were plans, on a server that is asked first. */
  static async addOlder(http: TestApi, server: string): Promise<void> {
    const transport = createRouterTransport(({ service }) => service(AgentService, {}));
    http.links.clients.set(await http.addServer(server), createClient(AgentService, transport));
  }

  #client() {
    const transport = createRouterTransport(({ service }) => {
      service(AgentService, {
        planSource: async (request, { signal }) => {
          this.asked.push(request);
          const giveUp = () => this.givenUp++;
          signal.addEventListener("abort", giveUp);
          await this.untilAnswered;
          // The signal aborts at the end of each call.
          signal.removeEventListener("abort", giveUp);
          if (this.refusal !== undefined) throw refused(this.refusal);
          return {
            commitSha: "a".repeat(40),
            framework: "express",
            reason: "`express` in dependencies",
            port: 3000,
            start: "node server.js",
            dockerfile: { case: "dockerfileText", value: "FROM node:22-slim\n" },
            notes: ["A note."],
            specFile: "svc.yaml",
            name: "shop",
            services: [{ name: "db", version: "16" }],
            env: ["GREETING"],
          };
        },
      });
    });
    return createClient(AgentService, transport);
  }
}
