import { z } from "@hono/zod-openapi";
import type { Service } from "./service.ts";

/** A tool changes nothing, or something that can be changed back, or leaves something gone. */
export type Effect = "reads" | "changes" | "destroys";

/** Parts of an assistant's turn that a tool may use. */
export interface ToolContext {
  service: Service;
  /** Is aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** A request of the public API, as a person would send it by hand. */
export interface ShownRequest {
  method: "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
}

/** The change that a tool is about to make. */
export interface Intent {
  /** Begins with a verb: `roll shop back to v3`. */
  sentence: string;
  request: ShownRequest;
  /** The name that a person has to give to confirm it. */
  confirm: string;
}

/** One thing that an assistant can do for a person: by intent, each with operations of the public API. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** The operations that it calls (`operationId`). A caller who may call all of them has the tool. */
  operations: readonly string[];
  input: z.ZodObject;
  /** Absent where nothing changes. */
  intent?: (input: unknown) => Intent;
  /** @returns a short text that says what to do next @throws ToolRefusal with the API's own sentence */
  run(context: ToolContext, input: unknown): Promise<string>;
}

interface ReadingTool<I extends z.ZodObject> extends Pick<Tool, "name" | "title" | "description" | "operations"> {
  input: I;
  run(context: ToolContext, input: z.output<I>): Promise<string>;
}

interface ChangingTool<I extends z.ZodObject<{ app: typeof appName }>> extends ReadingTool<I> {
  effect: Exclude<Effect, "reads">;
  intent(input: z.output<I>): Omit<Intent, "confirm">;
}

/** A tool that changes nothing. */
export function readingTool<I extends z.ZodObject>(tool: ReadingTool<I>): Tool {
  return { ...tool, effect: "reads", run: (context, input) => tool.run(context, tool.input.parse(input)) };
}

/** A tool that is shown, and confirmed by the app's name, before it does anything. */
export function changingTool<I extends z.ZodObject<{ app: typeof appName }>>(tool: ChangingTool<I>): Tool {
  return {
    ...tool,
    intent(input) {
      const checked = tool.input.parse(input);
      return { ...tool.intent(checked), confirm: checked.app };
    },
    run: (context, input) => tool.run(context, tool.input.parse(input)),
  };
}

/*
 * Names that become a part of a path. None can lead to another path: a segment of dots alone would.
 */
export const appName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, "it must be the name of an app")
  .describe("Name of the app.");
export const variableName = z.string().regex(/^[A-Za-z_]\w*$/, "it must be the name of a variable");
export const domainName = z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, "it must be a domain, in lower case");

/**
 * Text that a person is shown before it is sent. It is short enough to be read, and has no character without a look of its own, or one
 * that turns the order of others around: nothing that stands behind it is hidden by it.
 */
export const shownText = z
  .string()
  .max(255)
  .regex(
    /^[^\p{C}\p{Z}\u2800\u3164\uffa0\u115f\u1160]*$/u,
    "it must have no spaces and no characters that can't be seen",
  );
