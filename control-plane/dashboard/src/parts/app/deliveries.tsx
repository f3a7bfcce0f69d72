import { answerOf, api, done } from "../../client/api.ts";
import { ActionButton } from "../action-button.tsx";
import { Show } from "../loaded.tsx";
import { useNotice } from "../notice.tsx";
import { useRefreshed } from "../refreshed.tsx";
import { Time } from "../time.tsx";

/** The last messages to a receiver; each can be sent again. */
export function Deliveries({ app, webhook }: { app: string; webhook: string }) {
  const path = { name: app, id: webhook };
  const read = useRefreshed(async () => {
    return (await answerOf(api.GET("/api/apps/{name}/webhooks/{id}/deliveries", { params: { path } }))).deliveries;
  });
  const { say, notice } = useNotice();
  async function sendAgain(delivery_id: string) {
    const sent = { params: { path: { ...path, delivery_id } } };
    await done(api.POST("/api/apps/{name}/webhooks/{id}/deliveries/{delivery_id}/redeliver", sent));
    await read.reload();
    say("It is sent again, as a new delivery.");
  }
  return (
    <>
      {notice}
      <Show of={read}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <p>Nothing was sent yet.</p>
          ) : (
            <div class="wide" tabIndex={0} role="region" aria-label="Table of deliveries">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Event</th>
                    <th scope="col">State</th>
                    <th scope="col">Attempts</th>
                    <th scope="col">Answer</th>
                    <th scope="col">Made</th>
                    <th scope="col">Action</th>
                  </tr>
                </thead>
                <tbody>
                  {deliveries.map(({ id, event, status, attempts, response_status, error, created_at }) => (
                    <tr key={id}>
                      <th scope="row">{event}</th>
                      <td class={status === "failed" ? "broken" : ""}>{status}</td>
                      <td>{attempts}</td>
                      <td>{error ?? response_status ?? ""}</td>
                      <td>
                        <Time at={created_at} />
                      </td>
                      <td>
                        <ActionButton label="Send again" object={event} act={() => sendAgain(id)} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Show>
    </>
  );
}
