import { useSignal } from "@preact/signals";
import type { Activity, Member } from "../../client/answers.ts";
import { answerOf, api } from "../../client/api.ts";
import { kindsOf } from "../../text/activity/kinds.ts";
import { Complaint } from "../complaint.tsx";
import { useRefreshedPages } from "../lists/paged.ts";
import { ShowMore } from "../lists/show-more.tsx";
import { Show, useLoaded } from "../loaded.tsx";
import { activityText, actorText } from "../../text/activity/activity-text.ts";
import { Time } from "../time.tsx";

interface EntriesProps {
  place: "platform" | "personal" | "team";
  /** The team's id; undefined for the platform. */
  team: string | undefined;
}

/** The entries of a team, or of the platform, by person and kind. */
export function Entries({ place, team }: EntriesProps) {
  const user = useSignal("");
  const kind = useSignal("");
  const members = useLoaded(() => (place !== "team" || team === undefined ? Promise.resolve([]) : readMembers(team)));
  const people = (members.value ?? []).map(({ user_id, email }) => ({ value: user_id, text: email }));
  return (
    <>
      <div class="row">
        {place === "team" && (
          <Filter
            label="Person"
            options={[{ value: "", text: "Everybody" }, ...people]}
            onChoose={(value) => (user.value = value)}
          />
        )}
        <Filter label="Kind" options={kindsOf(place)} onChoose={(value) => (kind.value = value)} />
      </div>
      {members.refusal !== "" && <Complaint sentence={members.refusal} />}
      <EntryList key={`${user.value} ${kind.value}`} team={team} user={user.value} kind={kind.value} />
    </>
  );
}

interface EntryListProps extends Pick<EntriesProps, "team"> {
  /** The id of who did it; empty for everybody. */
  user: string;
  /** Empty for all. */
  kind: string;
}

/** Entries never change: new ones come first. */
function EntryList({ team, user, kind }: EntryListProps) {
  const load = async (cursor: string | undefined) => {
    const query = {
      ...(user === "" ? {} : { user }),
      ...(kind === "" ? {} : { action: kind }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const asked =
      team === undefined
        ? api.GET("/api/operator/activity", { params: { query } })
        : api.GET("/api/teams/{team}/activity", { params: { path: { team }, query } });
    const { activity: rows, next_cursor: next } = await answerOf(asked);
    return { rows, next };
  };
  const entries = useRefreshedPages(load);
  const isFiltered = user !== "" || kind !== "";
  return (
    <>
      <Show of={entries}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{isFiltered ? "There is no such entry." : "Nothing was done yet."}</p>
          ) : (
            <ActivityTable entries={rows} />
          )
        }
      </Show>
      <ShowMore label="Show older entries" more={entries.more} />
    </>
  );
}

async function readMembers(team: string): Promise<readonly Member[]> {
  return (await answerOf(api.GET("/api/teams/{team}/members", { params: { path: { team } } }))).members;
}

/** Lists entries, the newest first. */
function ActivityTable({ entries }: { entries: readonly Activity[] }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Entries">
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td>
                <Time at={entry.at} />
              </td>
              <td>{actorText(entry)}</td>
              <td class="value">{activityText(entry)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface FilterProps {
  label: string;
  options: readonly { value: string; text: string }[];
  onChoose(value: string): void;
}

/** Narrows a list down as soon as something is chosen. */
function Filter({ label, options, onChoose }: FilterProps) {
  return (
    <label>
      {label}{" "}
      <select onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
