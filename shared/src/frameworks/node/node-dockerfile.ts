import type { FileTree } from "../repository/file-tree.ts";
import { DEFAULT_PORT } from "../../rules/frameworks.ts";
import type { BuildPlan, PlanInput } from "../framework.ts";
import { readNodeApp, startOf, type NodeApp } from "./node-app.ts";
import { isDevelopmentProgram, serverStages, type NodeBuild } from "./node-stages.ts";

export type Plan = Omit<BuildPlan, "framework" | "reason">;

/** The additions of a framework whose apps are servers. */
export interface NodeServer extends NodeBuild {
  /** The command for an app without a start script. */
  start?: readonly string[];
}

/** An app that Node runs from its folder: dependencies in a layer of their own, then the sources, as user `node`. */
export function planNodeServer(files: FileTree, input: PlanInput, server: NodeServer = {}): Plan {
  return planServer(readNodeApp(files, input), server);
}

export function planServer(app: NodeApp, server: NodeServer = {}): Plan {
  const port = app.input.port ?? DEFAULT_PORT;
  const start = startOf(app, server.start);
  return generated(app, serverStages(app, start, server, port), port, developmentNotes(app, start.program));
}

/** A plan from the lines of its Dockerfile. */
export function generated(
  app: Pick<NodeApp, "notes"> & Partial<Pick<NodeApp, "input">>,
  lines: readonly string[],
  port: number,
  notes: readonly string[] = [],
): Plan {
  const context = app.input?.workspace?.top;
  return {
    dockerfile: { text: `${lines.join("\n")}\n` },
    ...(context !== undefined && { context }),
    port,
    notes: [...app.notes, ...notes],
  };
}

function developmentNotes(app: NodeApp, program: string | undefined): string[] {
  if (program === undefined || !isDevelopmentProgram(app, program)) return [];
  return [
    `The start script needs \`${program}\`, which is in devDependencies, so all of these are in the image. ` +
      "Move it to dependencies for a smaller one.",
  ];
}
