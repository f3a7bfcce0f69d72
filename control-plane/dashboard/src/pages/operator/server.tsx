import type { OpenDeploy, Server } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { serverName } from "../../client/page-path.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { Show } from "../../parts/loaded.tsx";
import { useNotice } from "../../parts/notice.tsx";
import { AppsOnServer, ServerFacts } from "../../parts/operator/server-facts.tsx";
import { openOperatorPage } from "../../parts/operator/open-operator-page.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";
import { agentCertificate, openDeployText, serverState } from "../../text/server-state.ts";

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
          </>
        )}
      </Show>
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
      <div class="wide" tabIndex={0} role="region" aria-label="Deploys">
        <table>
          <thead>
            <tr>
              <th scope="col">App</th>
              <th scope="col">Kind</th>
              <th scope="col">State</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {deploys.map((deploy) => (
              <tr key={`${deploy.app} ${deploy.since}`}>
                <th scope="row">{deploy.app}</th>
                <td>{deploy.kind}</td>
                <td class={deploy.waits_for === "server_away" ? "broken" : ""}>{openDeployText(deploy)}</td>
                <td>
                  <Time at={deploy.since} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hidden > 0 && <p class="hint">{hidden} more wait behind these.</p>}
    </>
  );
}

openOperatorPage(name, OneServer);
