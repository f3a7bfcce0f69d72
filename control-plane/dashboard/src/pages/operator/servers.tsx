import { useSignal } from "@preact/signals";
import type { Person } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { Show } from "../../parts/loaded.tsx";
import { JoinServer } from "../../parts/operator/join-server.tsx";
import { openOperatorPage } from "../../parts/operator/open-operator-page.tsx";
import { ServerTable } from "../../parts/operator/server-table.tsx";
import { useRefreshed } from "../../parts/refreshed.tsx";
import { Time } from "../../parts/time.tsx";
import { brokenServersFirst } from "../../text/server-state.ts";

/** Beyond this a name is found sooner by writing it. */
const FILTERED_FROM = 8;

function Servers({ person }: { person: Person }) {
  const fleet = useRefreshed(() => answerOf(api.GET("/api/servers")));
  const words = useSignal("");
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
            {servers.length >= FILTERED_FROM && (
              <label>
                Find{" "}
                <input
                  type="search"
                  value={words.value}
                  onInput={({ currentTarget }) => (words.value = currentTarget.value)}
                />
              </label>
            )}
            {servers.length > 0 && (
              <ServerTable
                servers={servers
                  .filter(({ name }) => name.includes(words.value.trim().toLowerCase()))
                  .toSorted(brokenServersFirst)}
              />
            )}
          </>
        )}
      </Show>
      <JoinServer person={person} onMade={fleet.reload} />
    </>
  );
}

openOperatorPage("Servers", Servers);
