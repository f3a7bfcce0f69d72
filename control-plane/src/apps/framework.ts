import { FRAMEWORK_NAMES, type FrameworkName } from "@svc/shared/rules/frameworks.ts";
import { invalid, quoted } from "../platform/invalid.ts";

/** The port that an app of the framework listens on when none is given; null where only the build can tell. */
const PORTS = {
  nextjs: 3000,
  remix: 3000,
  nuxt: 3000,
  astro: 3000,
  vite: 3000,
  express: 3000,
  hono: 3000,
  fastify: 3000,
  fastapi: 8000,
  django: 8000,
  flask: 8000,
  go: 8080,
  rust: 8080,
  rails: 3000,
  static: 3000,
  node: 3000,
  dockerfile: null,
} as const satisfies Record<FrameworkName, number | null>;

export type Framework = FrameworkName;

export const FRAMEWORKS: readonly string[] = FRAMEWORK_NAMES;

function isFramework(value: string): value is Framework {
  return Object.hasOwn(PORTS, value);
}

/** @throws SvcError invalid_request */
export function checkFramework(value: string): void {
  if (!isFramework(value))
    throw invalid(`The framework ${quoted(value)} is not supported: use one of ${FRAMEWORKS.join(", ")}.`);
}

/** What `port` is before a build has found it out (decisions, `port` before it is known). */
export function impliedPort(framework: string | null): number | null {
  return framework !== null && isFramework(framework) ? PORTS[framework] : null;
}
