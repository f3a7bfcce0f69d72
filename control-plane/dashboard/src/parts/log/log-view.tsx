import { loaded } from "../../client/present-page.ts";
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { LOG_QUERY_HINTS, type LogKind } from "@svc/shared/rules/log-query/log-query-hints.ts";
import { plainText } from "../../text/log/ansi.ts";
import { countText } from "../../text/log/count-text.ts";
import { LineStore } from "../../text/log/line-store.ts";
import { saveFile } from "../copy/save-file.ts";
import { LogRows, ROW_PX } from "./log-rows.ts";

/** A browser ends an element at 33.5 million pixels of the device. */
const HEIGHT_MAX_PX = 33_000_000;
const LINES_MAX = 1_000_000;
/** Takes some milliseconds. */
const SEARCHED_AT_ONCE = 5_000;

function linesMax(): number {
  return Math.min(LINES_MAX, Math.floor(HEIGHT_MAX_PX / ROW_PX / Math.max(1, devicePixelRatio)));
}

interface Matches {
  /** Whether a line is looked for; undefined: all lines are shown. */
  isFound: ((line: string) => boolean) | undefined;
  /** Numbers of the lines that are found. */
  numbers: number[];
  /** The number of the first line that was not looked at. */
  searched: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export interface LogSink {
  add(lines: readonly string[]): void;
}

/** Matches in forgotten lines are dropped so many at a time: that draws all rows again. */
const STALE_MATCHES_MAX = 10_000;

interface LogViewProps {
  /** The name for a screen reader, and for the file. */
  name: string;
  kind: LogKind;
  /** Nothing is added to the lines that it begins with, so that there is nothing to follow. */
  isWhole?: boolean;
  /** Starts to send lines; returns what stops it. */
  open(sink: LogSink): () => void;
}

/** A log that may grow by thousands of lines a second: it is followed, paused, searched and kept as a file. */
export function LogView({ name, kind, isWhole = false, open }: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const rows = useRef<LogRows | undefined>(undefined);
  const store = useRef(new LineStore(linesMax()));
  const matches = useRef<Matches>({ isFound: undefined, numbers: [], searched: 0, timer: undefined });
  const follows = useSignal(true);
  const count = useSignal(0);
  const forgotten = useSignal(0);
  const words = useSignal("");
  const found = useSignal<number | undefined>(undefined);
  const refusal = useSignal<string | undefined>(undefined);
  const id = useId();

  useEffect(() => {
    if (box.current === null || space.current === null) return;
    const lines = store.current;
    const drawn = new LogRows(box.current, space.current, lines, () => {
      count.value = lines.end - lines.start;
      forgotten.value = lines.start;
    });
    rows.current = drawn;
    const stop = open({
      add(batch) {
        lines.add(batch);
        if (matches.current.isFound) searchOn();
        drawn.later();
      },
    });
    drawn.later();
    return () => {
      stop();
      drawn.stop();
      clearTimeout(matches.current.timer);
    };
  }, []);

  /** Looks at the lines that it has not looked at yet, some in each turn: a page that searches goes on to answer. */
  function searchOn() {
    clearTimeout(matches.current.timer);
    const lines = store.current;
    const { numbers, isFound = () => true } = matches.current;
    let number = Math.max(matches.current.searched, lines.start);
    const end = Math.min(lines.end, number + SEARCHED_AT_ONCE);
    for (; number < end; number++) {
      if (isFound(lines.line(number))) numbers.push(number);
    }
    matches.current.searched = number;
    if ((numbers[STALE_MATCHES_MAX] ?? Infinity) < lines.start) {
      numbers.splice(0, STALE_MATCHES_MAX);
      rows.current?.only(numbers);
    }
    found.value = numbers.length;
    rows.current?.later();
    if (number < lines.end) matches.current.timer = setTimeout(searchOn);
  }

  /** The reader of queries is loaded with the first one. */
  async function search(text: string) {
    words.value = text;
    const { isFound, readFilter } = await loaded(import("./line-finder.ts"));
    if (words.peek() !== text) return;
    const { query = [], refusal: sentence } = readFilter(text, kind);
    clearTimeout(matches.current.timer);
    refusal.value = sentence;
    const isAll = query.length === 0;
    matches.current = {
      isFound: isAll ? undefined : (line) => isFound(query, plainText(line)),
      numbers: [],
      searched: 0,
      timer: undefined,
    };
    if (isAll) found.value = undefined;
    else searchOn();
    rows.current?.only(isAll ? undefined : matches.current.numbers);
  }

  function find(text: string) {
    search(text).catch(
      () => (refusal.value = "The search could not be loaded. Load the page again when the service is there."),
    );
  }

  function setFollows(value: boolean) {
    follows.value = value;
    if (rows.current === undefined) return;
    rows.current.follows = value;
    rows.current.later();
  }

  function scrolled() {
    const isAtEnd = rows.current?.isAtEnd ?? true;
    if (follows.peek() && !isAtEnd) setFollows(false);
    rows.current?.later();
  }

  function save() {
    saveFile(`${name.replaceAll(/[^\w.-]+/g, "-")}.log`, new Blob([store.current.text()], { type: "text/plain" }));
  }

  return (
    <section aria-label={name} class="log">
      <div class="row">
        <label>
          Find{" "}
          <input
            type="search"
            value={words.value}
            aria-describedby={`${id}-hint`}
            aria-invalid={refusal.value !== undefined}
            onInput={({ currentTarget }) => find(currentTarget.value)}
          />
        </label>
        {!isWhole && (
          <button type="button" aria-pressed={follows.value} onClick={() => setFollows(!follows.value)}>
            Follow
          </button>
        )}
        <button type="button" onClick={save}>
          Save
        </button>
        <output>{countText({ kept: count.value, forgotten: forgotten.value, found: found.value })}</output>
      </div>
      <p class={refusal.value === undefined ? "hint" : "refusal"} id={`${id}-hint`} aria-live="polite">
        {refusal.value ?? LOG_QUERY_HINTS[kind]}
      </p>
      <div class="log-box" ref={box} role="log" aria-live="off" aria-label={name} tabIndex={0} onScroll={scrolled}>
        <div class="log-space" ref={space} />
      </div>
    </section>
  );
}
