/** Where most servers listen unless told otherwise by PORT. */
export const DEFAULT_PORT = 3000;
/** Where Django, Uvicorn and Gunicorn do. */
export const PYTHON_PORT = 8000;
/** Where servers in compiled languages do. */
export const PROGRAM_PORT = 8080;

/**
 * The fifteen frameworks of the specification, then our two: any Node app, and a repository's own Dockerfile. Each with the port
 * that its apps listen on when none is given; null where only the build can tell.
 */
const PORTS = {
  nextjs: DEFAULT_PORT,
  remix: DEFAULT_PORT,
  nuxt: DEFAULT_PORT,
  astro: DEFAULT_PORT,
  vite: DEFAULT_PORT,
  express: DEFAULT_PORT,
  hono: DEFAULT_PORT,
  fastify: DEFAULT_PORT,
  fastapi: PYTHON_PORT,
  django: PYTHON_PORT,
  flask: PYTHON_PORT,
  go: PROGRAM_PORT,
  rust: PROGRAM_PORT,
  rails: DEFAULT_PORT,
  static: DEFAULT_PORT,
  node: DEFAULT_PORT,
  dockerfile: null,
} as const;

export type FrameworkName = keyof typeof PORTS;

export const FRAMEWORK_NAMES = Object.keys(PORTS) as readonly FrameworkName[];

export function isFrameworkName(value: string): value is FrameworkName {
  return Object.hasOwn(PORTS, value);
}

/** The port of an app of the framework before a build has found it out. */
export function impliedPort(framework: FrameworkName): number | null {
  return PORTS[framework];
}
