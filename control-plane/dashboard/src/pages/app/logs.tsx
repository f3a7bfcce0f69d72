import { useSignal } from "@preact/signals";
import { followAppLog, type LogState } from "../../client/app-log-stream.ts";
import { openAppPage, type AppPageProps } from "../../parts/app/app-page.tsx";
import { Choice } from "../../parts/choice.tsx";
import { LogView } from "../../parts/log/log-view.tsx";

const SOURCES = [
  { value: "container", text: "What the app writes" },
  { value: "access", text: "Requests" },
] as const;

type Source = (typeof SOURCES)[number]["value"];

const STATES: Record<LogState, string> = {
  connected: "",
  lost: "The connection is lost. The log goes on where it stopped when it is back.",
  paused: "The container has ended. What comes next is shown when the app runs.",
  refused: "The service does not give this log now. It is asked again.",
};

function Logs({ app }: AppPageProps) {
  const source = useSignal<Source>("container");
  return (
    <>
      <Choice label="Which log" options={SOURCES} value={source.value} onChoose={(chosen) => (source.value = chosen)} />
      <OneLog key={source.value} name={app.name} source={source.value} />
    </>
  );
}

function OneLog({ name, source }: { name: string; source: Source }) {
  const sentence = useSignal("");
  return (
    <>
      <p role="status" class="hint">
        {sentence.value}
      </p>
      <LogView
        name={`Log of ${name}`}
        open={(sink) =>
          followAppLog(name, source, {
            onLines: (lines) => sink.add(lines),
            onState: (state, said) => (sentence.value = said ?? STATES[state]),
          })
        }
      />
    </>
  );
}

void openAppPage("logs", Logs);
