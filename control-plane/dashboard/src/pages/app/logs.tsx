import { useSignal } from "@preact/signals";
import { followAppLog, type LogState } from "../../client/app-log-stream.ts";
import { openAppPage, type AppPageProps } from "../../parts/app/app-page.tsx";
import { LogView } from "../../parts/log/log-view.tsx";

const SOURCES = [
  ["container", "What the app writes"],
  ["access", "Requests"],
] as const;

type Source = (typeof SOURCES)[number][0];

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
      <div class="row" role="group" aria-label="Which log">
        {SOURCES.map(([value, text]) => (
          <button
            key={value}
            type="button"
            aria-pressed={source.value === value}
            onClick={() => (source.value = value)}
          >
            {text}
          </button>
        ))}
      </div>
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
