import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { plainText } from "../../text/log/ansi.ts";
import { LineStore } from "../../text/log/line-store.ts";
import { LogRows } from "./log-rows.ts";

export interface LogSink {
  add(lines: readonly string[]): void;
}

interface LogViewProps {
  /** What a screen reader calls it, and the name of the file. */
  name: string;
  /** Starts to send lines; returns what stops it. */
  open(sink: LogSink): () => void;
}

/** A log that may grow by thousands of lines a second: it is followed, paused, searched and kept as a file. */
export function LogView({ name, open }: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const rows = useRef<LogRows | undefined>(undefined);
  const store = useRef(new LineStore());
  const matches = useRef({ numbers: [] as number[], searched: 0 });
  const follows = useSignal(true);
  const count = useSignal(0);
  const words = useSignal("");
  const found = useSignal<number | undefined>(undefined);

  useEffect(() => {
    if (box.current === null || space.current === null) return;
    const lines = store.current;
    const drawn = new LogRows(box.current, space.current, lines, () => (count.value = lines.end - lines.start));
    rows.current = drawn;
    const stop = open({
      add(batch) {
        lines.add(batch);
        if (words.peek() !== "") searchOn();
        drawn.later();
      },
    });
    drawn.later();
    return () => {
      stop();
      drawn.stop();
    };
  }, []);

  /** Looks at the lines that it has not looked at yet: a line is searched once, however many come. */
  function searchOn() {
    const lines = store.current;
    const { numbers } = matches.current;
    const wanted = words.peek().toLowerCase();
    let number = Math.max(matches.current.searched, lines.start);
    for (; number < lines.end; number++) {
      if (plainText(lines.line(number)).toLowerCase().includes(wanted)) numbers.push(number);
    }
    matches.current.searched = number;
    found.value = numbers.length;
  }

  function search(text: string) {
    words.value = text;
    matches.current = { numbers: [], searched: 0 };
    if (text === "") found.value = undefined;
    else searchOn();
    rows.current?.only(text === "" ? undefined : matches.current.numbers);
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
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([store.current.text()], { type: "text/plain" }));
    link.download = `${name.replaceAll(/[^\w.-]+/g, "-")}.log`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  return (
    <section aria-label={name} class="log">
      <div class="row">
        <label>
          Find <input type="search" value={words.value} onInput={({ currentTarget }) => search(currentTarget.value)} />
        </label>
        <button type="button" aria-pressed={follows.value} onClick={() => setFollows(!follows.value)}>
          Follow
        </button>
        <button type="button" onClick={save}>
          Save
        </button>
        <output>{found.value === undefined ? `${count.value} lines` : `${found.value} of ${count.value} lines`}</output>
      </div>
      <div class="log-box" ref={box} role="log" aria-live="off" aria-label={name} tabIndex={0} onScroll={scrolled}>
        <div class="log-space" ref={space} />
      </div>
    </section>
  );
}
