import type { paths } from "svc-cli/gen/api.ts";
import { curlOf, type ApiRequest } from "./curl.ts";

/** An action of a page, as it is done without the page. */
export interface Command {
  does: string;
  curl: string;
  /** Absent where the tool does not do it. */
  svc?: string;
}

interface Call {
  does: string;
  request: `${ApiRequest["method"]} ${keyof paths & string}`;
  /** The path's parameters beside the app's name; in capitals: what a reader has to put in its place. */
  params?: Readonly<Record<string, string>>;
  query?: string;
  body?: object;
  /** It answers with lines as they come, which curl is not to gather. */
  isStream?: boolean;
  svc?: string;
}

/** Each tab's calls; `APP` in a line of `svc` is the app's name. */
const CALLS: Readonly<Record<string, readonly Call[]>> = {
  "": [
    { does: "Read the app", request: "GET /api/apps/{name}", svc: "status --app APP" },
    { does: "Deploy", request: "POST /api/apps/{name}/deploy", body: {}, svc: "deploy --app APP" },
    { does: "Stop", request: "POST /api/apps/{name}/action", body: { action: "stop" }, svc: "stop APP" },
    { does: "Start", request: "POST /api/apps/{name}/action", body: { action: "start" }, svc: "start APP" },
    { does: "Restart", request: "POST /api/apps/{name}/action", body: { action: "restart" }, svc: "restart APP" },
  ],
  deploys: [
    { does: "List the deploys", request: "GET /api/apps/{name}/deploys", svc: "releases --app APP" },
    { does: "Deploy", request: "POST /api/apps/{name}/deploy", body: {}, svc: "deploy --app APP" },
    {
      does: "Roll back to a release",
      request: "POST /api/apps/{name}/rollback",
      body: { release: "v1" },
      svc: "rollback v1 --app APP",
    },
    { does: "Compare two releases", request: "GET /api/apps/{name}/changes", query: "from=v1&to=v2" },
    {
      does: "Cancel a deploy",
      request: "POST /api/deploys/{id}/cancel",
      params: { id: "DEPLOY" },
      body: {},
      svc: "cancel DEPLOY --app APP",
    },
    { does: "Follow a deploy", request: "GET /api/deploys/{id}/events", params: { id: "DEPLOY" }, isStream: true },
  ],
  env: [
    { does: "Read the variables", request: "GET /api/apps/{name}/env", svc: "env list --values --app APP" },
    {
      does: "Set variables",
      request: "PUT /api/apps/{name}/env",
      body: { env: { KEY: "value" } },
      svc: "env set KEY=value --app APP",
    },
    {
      does: "Set variables and seal them",
      request: "PUT /api/apps/{name}/env",
      body: { env: { KEY: "value" }, sealed: ["KEY"] },
      svc: "env set --sealed KEY --app APP",
    },
    {
      does: "Delete a variable",
      request: "DELETE /api/apps/{name}/env/{KEY}",
      params: { KEY: "KEY" },
      svc: "env unset KEY --app APP",
    },
    { does: "See what the next deploy changes", request: "GET /api/apps/{name}/changes" },
  ],
  domains: [
    { does: "List the domains", request: "GET /api/apps/{name}/domains", svc: "domains list --app APP" },
    {
      does: "Add a domain",
      request: "POST /api/apps/{name}/domains",
      body: { domain: "shop.example.com" },
      svc: "domains add shop.example.com --app APP",
    },
    {
      does: "Look at a domain",
      request: "GET /api/apps/{name}/domains/{domain}",
      params: { domain: "shop.example.com" },
      svc: "domains check shop.example.com --app APP",
    },
    {
      does: "Remove a domain",
      request: "DELETE /api/apps/{name}/domains/{domain}",
      params: { domain: "shop.example.com" },
      svc: "domains remove shop.example.com --app APP",
    },
  ],
  logs: [
    { does: "Read the end of the log", request: "GET /api/apps/{name}/logs", svc: "logs --app APP" },
    {
      does: "Follow the log",
      request: "GET /api/apps/{name}/logs",
      query: "follow=1",
      isStream: true,
      svc: "logs --follow --app APP",
    },
    {
      does: "Read the requests",
      request: "GET /api/apps/{name}/logs",
      query: "source=access",
      svc: "logs --access --app APP",
    },
    {
      does: "Search the last two hours",
      request: "GET /api/apps/{name}/logs",
      query: "since=2h&query=level:error",
      svc: "logs --since 2h --query level:error --app APP",
    },
  ],
  metrics: [
    {
      does: "Read the metrics of the last hour",
      request: "GET /api/apps/{name}/metrics",
      query: "since=1h",
      svc: "metrics --app APP",
    },
  ],
  webhooks: [
    { does: "List the webhooks", request: "GET /api/apps/{name}/webhooks", svc: "webhooks list --app APP" },
    {
      does: "Add a webhook",
      request: "POST /api/apps/{name}/webhooks",
      body: { url: "https://example.com/hook", events: ["deploy.succeeded", "deploy.failed"] },
      svc: "webhooks add https://example.com/hook --app APP",
    },
    {
      does: "Read its deliveries",
      request: "GET /api/apps/{name}/webhooks/{id}/deliveries",
      params: { id: "WEBHOOK" },
      svc: "webhooks deliveries WEBHOOK --app APP",
    },
    {
      does: "Deliver once more",
      request: "POST /api/apps/{name}/webhooks/{id}/deliveries/{delivery_id}/redeliver",
      params: { id: "WEBHOOK", delivery_id: "DELIVERY" },
      body: {},
    },
    {
      does: "Remove a webhook",
      request: "DELETE /api/apps/{name}/webhooks/{id}",
      params: { id: "WEBHOOK" },
      svc: "webhooks remove WEBHOOK --app APP",
    },
  ],
  settings: [
    {
      does: "Change settings",
      request: "PATCH /api/apps/{name}",
      body: { root: "apps/web", framework: "node", port: 3000 },
    },
    {
      does: "Make a deploy key",
      request: "POST /api/apps/{name}/deploy-key",
      body: {},
      svc: "deploy-key create --app APP",
    },
    { does: "Hand the app to another team", request: "POST /api/apps/{name}/hand-over", body: { team: "TEAM" } },
    {
      does: "Delete the app and all of its data",
      request: "DELETE /api/apps/{name}",
      query: "purge=1",
      svc: "apps delete APP --purge",
    },
  ],
};

/** The commands of a page of an app. @param origin the service's own address */
export function commandsOf(tab: string, app: string, origin: string): Command[] {
  return (CALLS[tab] ?? []).map((call) => {
    const command: Command = { does: call.does, curl: curlOf(requestOf(call, app), origin, call.isStream) };
    if (call.svc !== undefined) command.svc = `svc ${call.svc.replaceAll("APP", app)}`;
    return command;
  });
}

function requestOf({ request, params = {}, query, body }: Call, app: string): ApiRequest {
  const [method, path] = request.split(" ") as [ApiRequest["method"], string];
  const values: Readonly<Record<string, string>> = { ...params, name: app };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  return { method, path: query === undefined ? filled : `${filled}?${query}`, body };
}
