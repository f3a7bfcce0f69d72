import { createHash, randomBytes } from "node:crypto";
import { Scalar, type ApiReferenceConfiguration } from "@scalar/hono-api-reference";
import type { Context } from "hono";
import type { RequestEnv } from "../platform/http/request-env.ts";
import { readBuiltFile } from "./built-file.ts";

export const API_REFERENCE_PATH = "/api/docs";
export const API_REFERENCE_SCRIPT_PATH = "/api/docs/viewer.js";

/** The viewer is asked for nothing that would lead to another host: no fonts, proxy, telemetry, assistant or client. */
const CONFIGURATION: Partial<ApiReferenceConfiguration> = {
  pageTitle: "Deployment service",
  cdn: API_REFERENCE_SCRIPT_PATH,
  url: "/api/openapi.json",
  theme: "default",
  defaultOpenAllTags: true,
  withDefaultFonts: false,
  proxyUrl: "",
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  authentication: { preferredSecurityScheme: "apiKey" },
  // The key is forgotten with the page.
  persistAuth: false,
  // Requests go to where the page came from, which the policy allows, by whichever name that is.
  servers: [{ url: "/" }],
};

/** Serves a page that shows the OpenAPI document and sends requests with the reader's key. */
export async function serveApiReference(c: Context<RequestEnv>): Promise<Response> {
  const nonce = randomBytes(16).toString("base64");
  c.header("Content-Security-Policy", contentSecurityPolicy(nonce));
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Referrer-Policy", "no-referrer");
  c.header("Cache-Control", "no-store");
  return (await Scalar<RequestEnv>({ ...CONFIGURATION, nonce })(c, () => Promise.resolve())) as Response;
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    // The viewer makes style elements and attributes that carry no nonce; a style can load nothing from elsewhere.
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Is read from the disk each time: the page is opened seldom, and a daemon need not keep its script in memory. */
export async function serveApiReferenceScript(c: Context<RequestEnv>): Promise<Response> {
  const script = await readBuiltFile("api-reference.js.gz");
  const etag = `"${createHash("sha256").update(script).digest("base64url")}"`;
  c.header("ETag", etag);
  c.header("Cache-Control", "no-cache");
  if (c.req.header("If-None-Match")?.includes(etag)) return c.body(null, 304);
  return c.body(script, 200, {
    "Content-Type": "text/javascript; charset=utf-8",
    "Content-Encoding": "gzip",
    "X-Content-Type-Options": "nosniff",
  });
}
