import type { AppOnServer, OpenDeploy, Server } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { serverName } from "../../client/page-path.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Commands } from "../../parts/commands/commands.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Show } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { ServerSettings } from "../../parts/operator/server-settings.tsx";
import { openOperatorPage } from "../../parts/operator/open-operator-page.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";
import { agentCertificate, openDeployText, serverState } from "../../text/server-state.ts";
import { shownBytes, shownShare } from "../../text/bytes.ts";
import { Facts } from "../../parts/lists/facts.tsx";

const name = serverName(location.pathname);
const params = { path: { name } };

function OneServer() {
  const loaded = useRefreshed(() => answerOf(api.GET("/api/servers/{name}", { params })));
  return (
    <>
      <p>
        <a href="/servers">All servers</a>
      </p>
      <Show of={loaded}>
        {({ server, deploys, apps }) => (
          <>
            <Attention server={server} />
            <ServerFacts server={server} />
            <Placement server={server} reload={loaded.reload} />
            <section aria-labelledby="queue">
              <h2 id="queue">Deploys here</h2>
              <Queue deploys={deploys} server={server} />
            </section>
            <section aria-labelledby="apps">
              <h2 id="apps">Apps here</h2>
              <AppsOnServer apps={apps} count={server.apps} />
            </section>
            <ServerSettings server={server} reload={loaded.reload} />
          </>
        )}
      </Show>
      <Commands page="server" of={name} />
    </>
  );
}

function Attention({ server }: { server: Server }) {
  const { awaySince } = serverState(server);
  const term = agentCertificate(server, new Date());
  if (awaySince === undefined && term === "good") return null;
  return (
    <section class="attention" aria-label="Needs attention">
      {awaySince !== undefined && (
        <p>
          The server is away since <Time at={awaySince} none="it joined" />: its agent does not answer. Its apps may go
          on; deploys wait. See whether the host and its agent run.
        </p>
      )}
      {term === "ended" && (
        <p>
          The certificate of its agent has expired at <Time at={server.certificate_until} />: the agent is not let in
          with it. Start the agent with a new token of <code>npm run admin -- server token --for {server.name}</code>.
        </p>
      )}
      {term === "soon" && (
        <p>
          The certificate of its agent ends at <Time at={server.certificate_until} />, and was not renewed. See the
          agent's log.
        </p>
      )}
    </section>
  );
}

function Placement({ server, reload }: { server: Server; reload(): Promise<void> }) {
  const { say, notice } = useNotice();
  async function drain() {
    await answerOf(api.POST("/api/servers/{name}/drain", { params }));
    await reload();
    say(`${name} takes no new apps.`);
  }
  async function undrain() {
    await answerOf(api.POST("/api/servers/{name}/undrain", { params }));
    await reload();
    say(`${name} takes new apps again.`);
  }
  return (
    <>
      {notice}
      {server.state !== "joining" && (
        <div class="row">
          {server.state === "draining" ? (
            <ActionButton key="undrain" label="Let it take new apps" act={undrain} />
          ) : (
            <ActionButton
              key="drain"
              label="Drain"
              object={name}
              isDangerous
              warning="It gets no new apps until you let it. Apps that live here go on, and are deployed here."
              act={drain}
            />
          )}
        </div>
      )}
    </>
  );
}

function Queue({ deploys, server }: { deploys: readonly OpenDeploy[]; server: Server }) {
  if (deploys.length === 0) return <p>Nothing is deployed, and nothing waits.</p>;
  const hidden = server.queue.length - deploys.filter(({ status }) => status === "pending").length;
  return (
    <>
      <Table
        label="Deploys"
        rows={deploys}
        keyOf={({ app, since }) => `${app} ${since}`}
        columns={{
          App: ({ app }) => app,
          Kind: ({ kind }) => kind,
          State: (deploy) => (
            <span class={deploy.waits_for === "server_away" ? "broken" : ""}>{openDeployText(deploy)}</span>
          ),
          Since: ({ since }) => <Time at={since} />,
        }}
      />
      {hidden > 0 && <p class="hint">{hidden} more wait behind these.</p>}
    </>
  );
}

/** The figures of a server. */
function ServerFacts({ server }: { server: Server }) {
  const { cpu, memory, disks, lock } = server;
  const { text, isBroken } = serverState(server);
  return (
    <Facts
      of={{
        State: <span class={isBroken ? "broken" : ""}>{text}</span>,
        Pool: server.pool,
        Labels: server.labels.length === 0 ? "none" : server.labels.join(", "),
        Address: server.address ?? "not known yet",
        "Last seen": <Time at={server.last_seen_at} />,
        "Works on": lock === null ? "nothing" : <LockText lock={lock} />,
        CPU: cpu && `${shownShare(cpu.used_ratio, 1)} of ${cpu.cores} cores, load ${cpu.load_1m.toFixed(2)}`,
        Memory: memory && memoryText(memory),
        ...Object.fromEntries(
          disks.map(({ purpose, total_bytes, available_bytes }) => [
            `Disk (${purpose})`,
            `${shownBytes(total_bytes - available_bytes)} of ${shownBytes(total_bytes)} used`,
          ]),
        ),
        "Figures of": <Time at={server.observed_at} />,
        Agent: (
          <span class={agentCertificate(server, new Date()) === "good" ? "" : "broken"}>
            {server.agent_version ?? "none yet"}
            {server.certificate_until !== null && (
              <>
                , recognised until <Time at={server.certificate_until} />
              </>
            )}
          </span>
        ),
        Joined: <Time at={server.joined_at} none="not yet" />,
      }}
    />
  );
}

function memoryText(memory: NonNullable<Server["memory"]>): string {
  const {
    total_bytes: total,
    available_bytes: available,
    promised_bytes: promised,
    promisable_bytes: promisable,
  } = memory;
  const used = `${shownBytes(total - available)} of ${shownBytes(total)} used`;
  if (promisable === 0) return used;
  return `${used}; ${shownBytes(promised)} of ${shownBytes(promisable)} promised to apps and databases`;
}

function LockText({ lock }: { lock: NonNullable<Server["lock"]> }) {
  return (
    <>
      {lock.app ?? "a purged app"}
      {lock.taken_at !== null && (
        <>
          {" "}
          since <Time at={lock.taken_at} />
        </>
      )}
    </>
  );
}

/** @param count of all apps there; the list may be shorter */
function AppsOnServer({ apps, count }: { apps: readonly AppOnServer[]; count: number }) {
  if (apps.length === 0) return <p>No app lives here.</p>;
  return (
    <>
      <Table
        label="Apps"
        rows={apps}
        keyOf={({ name }) => name}
        columns={{
          App: ({ name }) => name,
          State: ({ status }) => status.replace("_", " "),
          Team: ({ team }) => team,
        }}
      />
      {count > apps.length && <p class="hint">{count - apps.length} more live here.</p>}
    </>
  );
}

openOperatorPage(name, OneServer);
