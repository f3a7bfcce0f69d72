import type { Tab } from "../places.ts";
import type { CallsOfPages } from "./call.ts";

export const APP_CALLS: CallsOfPages<Tab> = {
  "": [
    { does: "Read the app", request: "GET /api/apps/{name}", svc: "status --app {name}" },
    { does: "Deploy", request: "POST /api/apps/{name}/deploy", body: {}, svc: "deploy --app {name}" },
    { does: "Stop", request: "POST /api/apps/{name}/action", body: { action: "stop" }, svc: "stop {name}" },
    { does: "Start", request: "POST /api/apps/{name}/action", body: { action: "start" }, svc: "start {name}" },
    { does: "Restart", request: "POST /api/apps/{name}/action", body: { action: "restart" }, svc: "restart {name}" },
  ],
  deploys: [
    { does: "List the deploys", request: "GET /api/apps/{name}/deploys", svc: "releases --app {name}" },
    { does: "Deploy", request: "POST /api/apps/{name}/deploy", body: {}, svc: "deploy --app {name}" },
    {
      does: "Roll back to a release",
      request: "POST /api/apps/{name}/rollback",
      body: { release: "v1" },
      svc: "rollback v1 --app {name}",
    },
    { does: "Compare two releases", request: "GET /api/apps/{name}/changes", query: "from=v1&to=v2" },
    {
      does: "Cancel a deploy",
      request: "POST /api/deploys/{id}/cancel",
      params: { id: "DEPLOY" },
      body: {},
      svc: "cancel DEPLOY --app {name}",
    },
    { does: "Read a deploy", request: "GET /api/deploys/{id}", params: { id: "DEPLOY" } },
    { does: "Follow a deploy", request: "GET /api/deploys/{id}/events", params: { id: "DEPLOY" }, isStream: true },
  ],
  env: [
    { does: "Read the variables", request: "GET /api/apps/{name}/env", svc: "env list --values --app {name}" },
    {
      does: "Set variables",
      request: "PUT /api/apps/{name}/env",
      body: { env: { KEY: "value" } },
      svc: "env set KEY=value --app {name}",
    },
    {
      does: "Set variables and seal them",
      request: "PUT /api/apps/{name}/env",
      body: { env: { KEY: "value" }, sealed: ["KEY"] },
      svc: "env set --sealed KEY --app {name}",
    },
    {
      does: "Seal a variable that is set",
      request: "PUT /api/apps/{name}/env",
      body: { env: {}, sealed: ["KEY"] },
    },
    {
      does: "Set all variables of a .env file",
      request: "PUT /api/apps/{name}/env",
      body: { env: { KEY: "value", OTHER: "value" } },
      svc: "env push .env --app {name}",
    },
    {
      does: "Delete a variable",
      request: "DELETE /api/apps/{name}/env/{KEY}",
      params: { KEY: "KEY" },
      svc: "env unset KEY --app {name}",
    },
    { does: "See what the next deploy changes", request: "GET /api/apps/{name}/changes" },
    { does: "Deploy", request: "POST /api/apps/{name}/deploy", body: {}, svc: "deploy --app {name}" },
  ],
  domains: [
    { does: "List the domains", request: "GET /api/apps/{name}/domains", svc: "domains list --app {name}" },
    {
      does: "Add a domain",
      request: "POST /api/apps/{name}/domains",
      body: { domain: "shop.example.com" },
      svc: "domains add shop.example.com --app {name}",
    },
    {
      does: "Look at a domain",
      request: "GET /api/apps/{name}/domains/{domain}",
      params: { domain: "shop.example.com" },
      svc: "domains check shop.example.com --app {name}",
    },
    {
      does: "Remove a domain",
      request: "DELETE /api/apps/{name}/domains/{domain}",
      params: { domain: "shop.example.com" },
      svc: "domains remove shop.example.com --app {name}",
    },
  ],
  logs: [
    { does: "Read the end of the log", request: "GET /api/apps/{name}/logs", svc: "logs --app {name}" },
    {
      does: "Follow the log",
      request: "GET /api/apps/{name}/logs",
      query: "follow=1",
      isStream: true,
      svc: "logs --follow --app {name}",
    },
    {
      does: "Read the requests",
      request: "GET /api/apps/{name}/logs",
      query: "source=access",
      svc: "logs --access --app {name}",
    },
    {
      does: "Follow the requests",
      request: "GET /api/apps/{name}/logs",
      query: "follow=1&source=access",
      isStream: true,
      svc: "logs --follow --access --app {name}",
    },
    {
      does: "Search the last two hours",
      request: "GET /api/apps/{name}/logs",
      query: "since=2h&query=level:error",
      svc: "logs --since 2h --query level:error --app {name}",
    },
  ],
  metrics: [
    {
      does: "Read the metrics of the last hour",
      request: "GET /api/apps/{name}/metrics",
      query: "since=1h",
      svc: "metrics --app {name}",
    },
    {
      does: "Read the metrics of the last 24 hours",
      request: "GET /api/apps/{name}/metrics",
      query: "since=1d",
      svc: "metrics --since 1d --app {name}",
    },
    {
      does: "Read the metrics of the last 30 days",
      request: "GET /api/apps/{name}/metrics",
      query: "since=30d",
      svc: "metrics --since 30d --app {name}",
    },
  ],
  webhooks: [
    { does: "List the webhooks", request: "GET /api/apps/{name}/webhooks", svc: "webhooks list --app {name}" },
    {
      does: "Add a webhook",
      request: "POST /api/apps/{name}/webhooks",
      body: { url: "https://example.com/hook" },
      svc: "webhooks add https://example.com/hook --app {name}",
    },
    {
      does: "Add a webhook for some events, such as the app's health",
      request: "POST /api/apps/{name}/webhooks",
      body: { url: "https://example.com/health", events: ["app.unhealthy", "app.recovered"] },
      svc: "webhooks add https://example.com/health --events app.unhealthy,app.recovered --app {name}",
    },
    {
      does: "Read its deliveries",
      request: "GET /api/apps/{name}/webhooks/{id}/deliveries",
      params: { id: "WEBHOOK" },
      svc: "webhooks deliveries WEBHOOK --app {name}",
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
      svc: "webhooks remove WEBHOOK --app {name}",
    },
  ],
  settings: [
    { does: "Deploy each push", request: "PATCH /api/apps/{name}", body: { deploy_on_push: true } },
    { does: "Deploy no push by itself", request: "PATCH /api/apps/{name}", body: { deploy_on_push: false } },
    {
      does: "Change settings",
      request: "PATCH /api/apps/{name}",
      body: { repo_url: "https://github.com/you/shop", root: "apps/web", framework: "node", port: 3000 },
    },
    {
      does: "Make a deploy key",
      request: "POST /api/apps/{name}/deploy-key",
      body: {},
      svc: "deploy-key create --app {name}",
    },
    { does: "Read the deploy key", request: "GET /api/apps/{name}/deploy-key", svc: "deploy-key show --app {name}" },
    {
      does: "Remove the deploy key",
      request: "DELETE /api/apps/{name}/deploy-key",
      svc: "deploy-key remove --app {name}",
    },
    { does: "List your teams", request: "GET /api/teams", svc: "teams" },
    { does: "Hand the app to another team", request: "POST /api/apps/{name}/hand-over", body: { team: "TEAM" } },
    {
      does: "Delete the app and all of its data",
      request: "DELETE /api/apps/{name}",
      query: "purge=1",
      svc: "apps delete {name} --purge",
    },
  ],
};
