import type { OpenApiDocument, OpenApiOperation } from "./described-answers.ts";

/** An operation as a client finds it in the document. */
export interface Operation {
  /** Upper case. */
  method: string;
  path: string;
  operationId: string;
  /** Whether operators alone may do it, signed in. */
  forOperators: boolean;
  /** "unscoped" when no scope will do; empty when no key will. */
  scope: string;
  changes: boolean;
  idempotent: boolean;
  /** Is undefined when it takes none. */
  body: { example: unknown; required: boolean } | undefined;
  query: { name: string; schema: Record<string, unknown> }[];
  described: OpenApiOperation;
}

/** All that need a key or a session; new ones join by themselves. */
export function everyOperation(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security?.length !== 0)
      .map(([method, described]) => operationOf(method, path, described)),
  );
}

function operationOf(method: string, path: string, described: OpenApiOperation): Operation {
  const { operationId, parameters = [], requestBody } = described;
  const json = requestBody?.content["application/json"];
  return {
    method: method.toUpperCase(),
    path,
    operationId,
    scope: /Scope: ([\w:]+)\./.exec(described.description ?? "")?.[1] ?? "",
    forOperators: described.description?.includes("Role: operator,") ?? false,
    changes: method !== "get",
    idempotent: parameters.some(({ name }) => name === "Idempotency-Key"),
    body: json && { example: json.example, required: requestBody?.required ?? false },
    query: parameters.filter((p) => p.in === "query").map(({ name, schema = {} }) => ({ name, schema })),
    described,
  };
}

/** The path with its parameters filled in; what is not given is something that does not exist. */
export function fill(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => values[name] ?? "none");
}
