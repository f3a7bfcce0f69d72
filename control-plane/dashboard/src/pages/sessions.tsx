import type { Session } from "../client/answers.ts";
import { ask } from "../client/ask.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { early } from "../parts/early.ts";
import { Table } from "../parts/lists/table.tsx";
import { Show } from "../parts/loaded.tsx";
import { useNotice } from "../parts/notice.tsx";
import { openPersonalPage } from "../parts/open-page.tsx";
import { useRefreshed } from "../parts/refreshed.tsx";
import { Time } from "../parts/time.tsx";
import { deviceName } from "../text/device-name.ts";

const load = early(() => ask<{ sessions: Session[] }>("GET", "/auth/sessions"));

function Sessions() {
  const sessions = useRefreshed(load);
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
    <Table
      label="Sessions"
      rows={sessions}
      keyOf={({ id }) => id}
      columns={{
        Device: ({ user_agent }) => deviceName(user_agent),
        Address: ({ address }) => address ?? "unknown",
        "Signed in": ({ created_at }) => <Time at={created_at} />,
        Ends: ({ expires_at }) => <Time at={expires_at} />,
        Action: (session) =>
          session.current ? (
            "this session"
          ) : (
            <ActionButton
              label="End"
              object={`the session of ${deviceName(session.user_agent)} at ${session.address ?? "an unknown address"}`}
              isDangerous
              act={() => end(session)}
            />
          ),
      }}
    />
  );
}

void openPersonalPage("Sessions", Sessions);
