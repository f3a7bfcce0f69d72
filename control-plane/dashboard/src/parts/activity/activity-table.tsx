import type { Activity } from "../../client/answers.ts";
import { activityText, actorText } from "../../text/activity/activity-text.ts";
import { Time } from "../time.tsx";

/** Lists entries, the newest first. */
export function ActivityTable({ entries }: { entries: readonly Activity[] }) {
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
