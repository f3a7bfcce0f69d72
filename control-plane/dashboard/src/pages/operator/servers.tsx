import type { Person, Server } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { Commands } from "../../parts/commands/commands.tsx";
import { Found } from "../../parts/lists/found.tsx";
import { Show } from "../../parts/loaded.tsx";
import { openOperatorPage } from "../../parts/operator/open-operator-page.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";
import { agentCertificate, brokenServersFirst, fullestDisk, serverState } from "../../text/server-state.ts";
import { shownShare } from "../../text/bytes.ts";
import { Table } from "../../parts/lists/table.tsx";
import { useSignal } from "@preact/signals";
import { shownTime } from "../../text/time.ts";
import { Form, textOf } from "../../parts/form.tsx";
import { proofFields, proofOf } from "../../parts/proof-fields.ts";
import { Secret } from "../../parts/copy/secret.tsx";

function Servers({ person }: { person: Person }) {
  const fleet = useRefreshed(() => answerOf(api.GET("/api/servers")));
  return (
    <>
      <Show of={fleet}>
        {({ servers, unplaced }) => (
          <>
            {unplaced.length > 0 && (
              <section class="attention" aria-label="Needs attention">
                <p>
                  {unplaced.length === 1 ? "1 deploy waits" : `${unplaced.length} deploys wait`} for a server, since{" "}
                  <Time at={unplaced.oldest_since} />: none of those that they may live on takes new apps or has room.
                  Join one, or let a drained one take apps again.
                </p>
              </section>
            )}
            {servers.length === 0 && <p>There are no servers yet. Join the first one below.</p>}
            {servers.length > 0 && (
              <Found all={servers.toSorted(brokenServersFirst)} nameOf={({ name }) => name}>
                {(found) => <ServerTable servers={found} />}
              </Found>
            )}
          </>
        )}
      </Show>
      <JoinServer person={person} onMade={fleet.reload} />
      <Commands page="servers" />
    </>
  );
}

/** Lists servers; each leads to its page. */
function ServerTable({ servers }: { servers: readonly Server[] }) {
  return (
    <Table
      label="Servers"
      isBroad
      rows={servers}
      keyOf={({ name }) => name}
      columns={{
        Name: ({ name }) => <a href={`/servers/${encodeURIComponent(name)}`}>{name}</a>,
        State: (server) => <ServerState server={server} />,
        "Pool, labels": ({ pool, labels }) => [pool, ...labels].join(", "),
        Address: ({ address }) => address,
        "Works on": ({ lock }) => (lock === null ? "nothing" : (lock.app ?? "a purged app")),
        Waiting: ({ queue }) => (
          <>
            {queue.length}
            {queue.oldest_since !== null && (
              <>
                {" "}
                since <Time at={queue.oldest_since} />
              </>
            )}
          </>
        ),
        Apps: ({ apps }) => apps,
        "CPU, load": ({ cpu }) => cpu !== null && `${shownShare(cpu.used_ratio, 1)}, ${cpu.load_1m.toFixed(2)}`,
        "Memory used, promised": memoryText,
        "Fullest disk": fullestDisk,
        Agent: ({ agent_version }) => agent_version,
        "Certificate until": (server) => <Certificate server={server} />,
        "Last seen": ({ last_seen_at }) => <Time at={last_seen_at} />,
      }}
    />
  );
}

function ServerState({ server }: { server: Server }) {
  const { text, isBroken, awaySince } = serverState(server);
  return (
    <span class={isBroken ? "broken" : ""}>
      <span class="short">{text}</span>
      {awaySince !== undefined && (
        <>
          {" "}
          since <Time at={awaySince} none="it joined" />
        </>
      )}
    </span>
  );
}

function Certificate({ server }: { server: Server }) {
  const term = agentCertificate(server, new Date());
  return (
    <span class={term === "good" ? "" : "broken"}>
      {term === "ended" && "expired "}
      <Time at={server.certificate_until} none="" />
    </span>
  );
}

function memoryText({ memory }: Server): string {
  if (memory === null) return "";
  const { total_bytes, available_bytes, promised_bytes, promisable_bytes } = memory;
  return [shownShare(total_bytes - available_bytes, total_bytes), shownShare(promised_bytes, promisable_bytes)]
    .filter((share) => share !== "")
    .join(", ");
}

/** Whether the address in the command leads each host to itself. */
function isOfOneHost(command: string): boolean {
  return / https:\/\/(127\.|localhost:|\[::1\])\S*$/.test(command);
}

interface JoinServerProps {
  person: Person;
  /** The list has one more then. */
  onMade(): Promise<void>;
}

/** Makes a server, and shows the command for its host. */
function JoinServer({ person, onMade }: JoinServerProps) {
  const made = useSignal<{ server: string; command: string; expires_at: string } | undefined>(undefined);
  async function make(values: FormData) {
    const name = textOf(values, "name").trim();
    const body = { ...(name === "" ? {} : { name }), ...proofOf(values) };
    made.value = await answerOf(api.POST("/api/servers", { body }));
    await onMade();
  }
  return (
    <section aria-labelledby="join">
      <h2 id="join">Join a server</h2>
      {made.value !== undefined && (
        <>
          <Secret
            label={`The command for the host of ${made.value.server}. It works once, until ${shownTime(made.value.expires_at)}, and is shown this once.`}
            text={made.value.command}
          />
          <p>
            Run it there, on a Debian or Ubuntu with curl. It fetches the agent from this service, and starts it.
            {isOfOneHost(made.value.command) &&
              " Another host can't reach that address: let the control plane listen for agents on all of its addresses " +
                "(SVC_AGENTS_LISTEN=0.0.0.0:8443), and make a command anew."}
          </p>
        </>
      )}
      <Form
        account={person.email}
        action="Make a join command"
        submit={make}
        fields={[
          {
            name: "name",
            label: "Name",
            hint: "Of the server: small letters, digits and dashes. The next free number when empty.",
            isOptional: true,
          },
          ...proofFields(person),
        ]}
      />
    </section>
  );
}

openOperatorPage("Servers", Servers);
