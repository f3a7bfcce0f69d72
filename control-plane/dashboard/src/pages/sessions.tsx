import type { Session } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { useNotice } from "../parts/notice.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { Time } from "../parts/time.tsx";
import { deviceName } from "../text/device-name.ts";

function Sessions() {
  const sessions = useLoaded(() => ask<{ sessions: Session[] }>("GET", "/auth/sessions"));
  const { say, notice } = useNotice();

  async function end({ id }: Session) {
    await ask("DELETE", `/auth/sessions/${id}`);
    await sessions.reload();
    say("The session was ended.");
  }
  async function endOthers() {
    const { ended } = await ask<{ ended: number }>("DELETE", "/auth/sessions");
    await sessions.reload();
    say(ended === 1 ? "1 session was ended." : `${ended} sessions were ended.`);
  }

  return (
    <>
      <p>Where you are signed in. End a session that you don't know, and change your password.</p>
      {notice}
      <Show of={sessions}>
        {({ sessions }) => (
          <>
            <SessionTable sessions={sessions} end={end} />
            {sessions.length > 1 && <ActionButton label="End all other sessions" isDangerous act={endOthers} />}
          </>
        )}
      </Show>
    </>
  );
}

function SessionTable({ sessions, end }: { sessions: readonly Session[]; end(session: Session): Promise<void> }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Sessions">
      <table>
        <thead>
          <tr>
            <th scope="col">Device</th>
            <th scope="col">Address</th>
            <th scope="col">Signed in</th>
            <th scope="col">Ends</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => {
            const device = deviceName(session.user_agent);
            return (
              <tr key={session.id}>
                <th scope="row">{device}</th>
                <td>{session.address ?? "unknown"}</td>
                <td>
                  <Time at={session.created_at} />
                </td>
                <td>
                  <Time at={session.expires_at} />
                </td>
                <td>
                  {session.current ? (
                    "this session"
                  ) : (
                    <ActionButton
                      label="End"
                      object={`the session of ${device} at ${session.address ?? "an unknown address"}`}
                      isDangerous
                      act={() => end(session)}
                    />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

void openPersonalPage("Sessions", Sessions);
