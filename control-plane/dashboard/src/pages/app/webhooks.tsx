import { useSignal } from "@preact/signals";
import type { Delivery } from "../../client/answers.ts";
import { answerOf, api, done } from "../../client/api.ts";
import { appPath } from "../../client/page-path.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { openAppPage } from "../../parts/app/app-page.tsx";
import { early } from "../../parts/early.ts";
import { Form, textOf } from "../../parts/form.tsx";
import { Show } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { Secret } from "../../parts/copy/secret.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";

const path = { name: appPath(location.pathname).name };

const load = early(async () => {
  const params = { path, query: { deliveries: "1" as const } };
  return (await answerOf(api.GET("/api/apps/{name}/webhooks", { params }))).webhooks;
});

const DEPLOY_EVENTS = ["deploy.succeeded", "deploy.failed", "deploy.rolled_back"] as const;
const HEALTH_EVENTS = ["app.unhealthy", "app.recovered"] as const;

function Webhooks() {
  const read = useRefreshed(load);
  const secret = useSignal("");
  const { say, notice } = useNotice();

  async function add(values: FormData) {
    const url = textOf(values, "url").trim();
    const body = values.has("health") ? { url, events: [...DEPLOY_EVENTS, ...HEALTH_EVENTS] } : { url };
    const made = await answerOf(api.POST("/api/apps/{name}/webhooks", { params: { path }, body }));
    secret.value = made.secret;
    await read.reload();
  }
  async function remove(id: string, url: string) {
    await done(api.DELETE("/api/apps/{name}/webhooks/{id}", { params: { path: { ...path, id } } }));
    await read.reload();
    say(`${url} is told of nothing any more.`);
  }

  return (
    <>
      {notice}
      <p>
        A receiver is told when a deploy of the app succeeds, fails or is rolled back. Each message is signed. The last
        ones to each receiver are listed here; older ones are not kept.
      </p>
      {secret.value !== "" && (
        <>
          <Secret
            label="The secret that messages are signed with. It is shown this once: give it to the receiver."
            text={secret.value}
          />
          <p>
            A message's header <code>X-Service-Signature</code> is <code>sha256=</code> and the HMAC-SHA256 of its body
            by this secret, in hexadecimal.
          </p>
        </>
      )}
      <Show of={read}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <p>There are no receivers yet.</p>
          ) : (
            <ul class="domains">
              {webhooks.map(({ id, url, events, deliveries = [] }) => (
                <li key={id}>
                  <h2>{url}</h2>
                  {HEALTH_EVENTS.some((event) => events?.includes(event)) && (
                    <p>It is told of the app's health, too.</p>
                  )}
                  <Deliveries webhook={id} deliveries={deliveries} reload={read.reload} />
                  <ActionButton
                    label="Remove"
                    object={url}
                    isDangerous
                    warning="What is still to be sent is dropped."
                    act={() => remove(id, url)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <section aria-labelledby="add">
        <h2 id="add">Add a receiver</h2>
        <Form
          action="Add the receiver"
          submit={add}
          fields={[{ name: "url", label: "Address", hint: "https, at a public address." }]}
        >
          <p class="field">
            <label>
              <input type="checkbox" name="health" /> Also when the app becomes unhealthy, and when it serves again
            </label>
          </p>
        </Form>
      </section>
    </>
  );
}

interface DeliveriesProps {
  webhook: string;
  deliveries: readonly Delivery[];
  reload: () => Promise<void>;
}

/** The last messages to a receiver; each can be sent again. */
function Deliveries({ webhook, deliveries, reload }: DeliveriesProps) {
  const { say, notice } = useNotice();
  async function sendAgain(delivery_id: string) {
    const sent = { params: { path: { ...path, id: webhook, delivery_id } } };
    await done(api.POST("/api/apps/{name}/webhooks/{id}/deliveries/{delivery_id}/redeliver", sent));
    await reload();
    say("It is sent again, as a new delivery.");
  }
  return (
    <>
      {notice}
      {deliveries.length === 0 ? (
        <p>Nothing was sent yet.</p>
      ) : (
        <Table
          label="Table of deliveries"
          rows={deliveries}
          keyOf={({ id }) => id}
          columns={{
            Event: ({ event }) => event,
            State: ({ status }) => <span class={status === "failed" ? "broken" : ""}>{status}</span>,
            Attempts: ({ attempts }) => attempts,
            Answer: ({ error, response_status }) => error ?? response_status,
            Made: ({ created_at }) => <Time at={created_at} />,
            Action: ({ id, event }) => <ActionButton label="Send again" object={event} act={() => sendAgain(id)} />,
          }}
        />
      )}
    </>
  );
}

void openAppPage("webhooks", Webhooks);
