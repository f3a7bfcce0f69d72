import { answerOf, done } from "../api/client.ts";
import type { components } from "../gen/api.ts";
import type { Invocation } from "../command-line/command.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";
import { openApp } from "../project/which-app.ts";

export async function listWebhooks(invocation: Invocation): Promise<void> {
  const { name, service } = await openApp(invocation);
  const read = service.rest.GET("/api/apps/{name}/webhooks", { params: { path: { name } } });
  const { webhooks } = await answerOf(service, read);
  const rows = webhooks.map(({ id, url, events, created_at }) => [id, url, events?.join(",") ?? "deploys", created_at]);
  const text =
    rows.length === 0 ? `${name} has no webhooks.` : textTable([["ID", "URL", "EVENTS", "CREATED"], ...rows]);
  invocation.terminal.result(webhooks, text);
}

/** The secret is the result: it is shown this once. */
export async function addWebhook(invocation: Invocation): Promise<void> {
  const [url = ""] = invocation.args;
  const { name, service } = await openApp(invocation);
  const body = { url, ...eventsOf(invocation.flags.text("events")) };
  const add = service.rest.POST("/api/apps/{name}/webhooks", { params: { path: { name } }, body });
  const webhook = await answerOf(service, add);
  const text = `Registered ${webhook.id}. Its secret, shown this once, signs each delivery:\n${webhook.secret}`;
  invocation.terminal.result(webhook, text);
}

type Events = NonNullable<components["schemas"]["CreateWebhook"]["events"]>;

/** The service names the events that there are when one is not. */
function eventsOf(list: string | undefined): { events?: Events } {
  return list === undefined ? {} : { events: list.split(",").map((event) => event.trim()) as Events };
}

export async function removeWebhook(invocation: Invocation): Promise<void> {
  const [id = ""] = invocation.args;
  const { name, service } = await openApp(invocation);
  await done(service, service.rest.DELETE("/api/apps/{name}/webhooks/{id}", { params: { path: { name, id } } }));
  invocation.terminal.result({ removed: id }, `Removed the webhook ${id}.`);
}

export async function listDeliveries(invocation: Invocation): Promise<void> {
  const [id = ""] = invocation.args;
  const { name, service } = await openApp(invocation);
  const params = { path: { name, id } };
  const read = service.rest.GET("/api/apps/{name}/webhooks/{id}/deliveries", { params });
  const { deliveries } = await answerOf(service, read);
  const rows = deliveries.map((one) => [
    one.created_at,
    one.event,
    one.status,
    one.error ?? String(one.response_status ?? ""),
  ]);
  const text =
    rows.length === 0 ? "Nothing was delivered yet." : textTable([["CREATED", "EVENT", "STATUS", "ANSWER"], ...rows]);
  invocation.terminal.result(deliveries, text);
}
