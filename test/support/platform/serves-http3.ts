import { installedVersion } from "@svc/agent/edge/caddy/caddy-process.ts";

/** Whether the Caddy of this host is one that apps are served over HTTP/3 with: 2.7 or newer. */
export async function servesHttp3(): Promise<boolean> {
  const [major = 0, minor = 0] = (await installedVersion("caddy")).split(".").map(Number);
  return major > 2 || minor > 6;
}
