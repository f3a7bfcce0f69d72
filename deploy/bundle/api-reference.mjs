import fastifyApiReference from "@scalar/fastify-api-reference";

/** Zod, inside of the viewer, compiles its checks with `Function` unless told not to; the page's policy allows no eval. */
const WITHOUT_EVAL = "globalThis.__zod_globalConfig = { jitless: true };\n";

/**
 * The viewer of GET /api/docs as one script. Scalar's Fastify plugin carries it and serves it under its prefix; the
 * package of the script alone would install 180 others.
 *
 * @returns {string}
 */
export function apiReferenceScript() {
  /** @type {{ url: string, handler: (request: undefined, reply: object) => string }[]} */
  const routes = [];
  const fastify = { initialConfig: {}, route: (/** @type {typeof routes[number]} */ route) => routes.push(route) };
  fastifyApiReference(fastify, { configuration: { url: "/api/openapi.json" } }, () => {});
  const reply = { header: () => reply, send: (/** @type {string} */ body) => body };
  const script = routes.find(({ url }) => url.endsWith(".js"))?.handler(undefined, reply);
  if (script === undefined) throw new Error("@scalar/fastify-api-reference serves no script.");
  return WITHOUT_EVAL + script;
}
