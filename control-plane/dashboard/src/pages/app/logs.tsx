import { loaded } from "../../client/present-page.ts";
import { useSignal } from "@preact/signals";
import { followAppLog, type LogState } from "../../client/app-log-stream.ts";
import { openAppPage, type AppPageProps } from "../../parts/app/app-page.tsx";
import { Choice } from "../../parts/choice.tsx";
import { LogView } from "../../parts/log/log-view.tsx";
import type { PastLog } from "../../parts/log/past-log.tsx";

const SOURCES = [
  { value: "container", text: "What the app writes" },
  { value: "access", text: "Requests" },
] as const;

type Source = (typeof SOURCES)[number]["value"];

const RANGES = [
  { value: "live", text: "Live" },
  { value: "1h", text: "Last hour" },
  { value: "1d", text: "Last day" },
  { value: "7d", text: "Last 7 days" },
  { value: "times", text: "From … up to …" },
] as const;

type Range = (typeof RANGES)[number]["value"];

const STATES: Record<LogState, string> = {
  connected: "",
  lost: "The connection is lost. The log goes on where it stopped when it is back.",
  paused: "The container has ended. What comes next is shown when the app runs.",
  refused: "The service does not give this log now. It is asked again.",
};

function Logs({ app }: AppPageProps) {
  const source = useSignal<Source>("container");
  const range = useSignal<Range>("live");
  const past = useSignal<{ PastLog: typeof PastLog } | undefined>(undefined);
  const refusal = useSignal("");

  /** The code that searches is loaded when it is asked for. */
  async function choose(chosen: Range) {
    refusal.value = "";
    try {
      if (chosen !== "live") past.value ??= await loaded(import("../../parts/log/past-log.tsx"));
      range.value = chosen;
    } catch {
      refusal.value = "The search could not be loaded. Load the page again when the service is there.";
    }
  }

  return (
    <>
      <Choice label="Which log" options={SOURCES} value={source.value} onChoose={(chosen) => (source.value = chosen)} />
      <Choice label="From when" options={RANGES} value={range.value} onChoose={(chosen) => void choose(chosen)} />
      <p role="alert" class="refusal">
        {refusal.value}
      </p>
      {range.value === "live" || past.value === undefined ? (
        <OneLog key={source.value} name={app.name} source={source.value} />
      ) : (
        <past.value.PastLog
          key={`${source.value} ${range.value}`}
          name={app.name}
          source={source.value}
          since={range.value === "times" ? undefined : range.value}
        />
      )}
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
        kind={source === "access" ? "requests" : "lines"}
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
