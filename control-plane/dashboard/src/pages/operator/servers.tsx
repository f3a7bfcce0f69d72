import type { Person } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { Found } from "../../parts/lists/found.tsx";
import { Show } from "../../parts/loaded.tsx";
import { JoinServer } from "../../parts/operator/join-server.tsx";
import { openOperatorPage } from "../../parts/operator/open-operator-page.tsx";
import { ServerTable } from "../../parts/operator/server-table.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";
import { brokenServersFirst } from "../../text/server-state.ts";

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
                  <Time at={unplaced.oldest_since} />: none takes new apps. Join one, or let a drained one take apps
                  again.
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
    </>
  );
}

openOperatorPage("Servers", Servers);
