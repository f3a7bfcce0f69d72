import type { Server } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { Form, textOf } from "../form.tsx";
import { useNotice } from "../notice.tsx";

/** The form for a server's pool, labels and address. */
export function ServerSettings({ server, reload }: { server: Server; reload(): Promise<void> }) {
  const { say, notice } = useNotice();
  async function save(values: FormData) {
    const address = textOf(values, "address").trim();
    const body = {
      pool: textOf(values, "pool").trim(),
      labels: textOf(values, "labels")
        .split(/[\s,]+/)
        .filter((label) => label !== ""),
      // The address that is shown without one being set is only where the agent was.
      ...(address === (server.address ?? "") ? {} : { address: address === "" ? null : address }),
    };
    await answerOf(api.PATCH("/api/servers/{name}", { params: { path: { name: server.name } }, body }));
    await reload();
    say("Saved. It holds for apps that are placed from now on.");
  }
  const texts = { autocomplete: "off" };
  return (
    <section aria-labelledby="place">
      <h2 id="place">Pool, labels and address</h2>
      {notice}
      <Form
        // The fields begin with what is set.
        key={[server.pool, server.labels.join(), server.address].join(" ")}
        action="Save"
        submit={save}
        fields={[
          {
            ...texts,
            name: "pool",
            label: "Pool",
            value: server.pool,
            hint: "Apps that ask for no pool live in default.",
          },
          {
            ...texts,
            name: "labels",
            label: "Labels",
            value: server.labels.join(", "),
            hint: "Words such as ssd or zone=eu-1, with commas between them. An app may ask for one.",
            isOptional: true,
          },
          {
            ...texts,
            name: "address",
            label: "Address",
            value: server.address ?? "",
            hint: "Where balancers find its apps, such as 192.0.2.7:443. Where its agent was at its last link when empty.",
            isOptional: true,
          },
        ]}
      />
    </section>
  );
}
