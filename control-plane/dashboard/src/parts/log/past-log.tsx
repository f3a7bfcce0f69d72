import { useSignal } from "@preact/signals";
import { LOG_QUERY_HINTS, LOG_QUERY_LENGTH_MAX } from "@svc/shared/rules/log-query/log-query-hints.ts";
import { useEffect, useId } from "preact/hooks";
import { answerOf, api } from "../../client/api.ts";
import { reach, SEARCH_MS_MAX } from "../../client/reach.ts";
import { readFilter } from "../../text/log/find-lines.ts";
import { sentenceOf } from "../complaint.tsx";
import "../shared-by-pages.ts";
// Stays in one file with `LogView`: the pages that show logs need both.
import "../../client/follow.ts";
import { LogView } from "./log-view.tsx";

/** The most lines that one search gives. */
const LINES = 500;

interface PastLogProps {
  /** The app's name. */
  name: string;
  source: "container" | "access";
  /** A duration before now, as the API takes it; undefined: times are asked for. */
  since: string | undefined;
}

interface Asked {
  since?: string;
  query: string;
}

interface Found {
  lines: readonly string[];
  /** The search has stopped there. */
  goOn: string | null;
  /** The query of a further search. */
  further: Asked;
}

/** A search waits for others. */
const inItsTurn = (request: Request) => reach(request, { msMax: SEARCH_MS_MAX });

/** A search in what the app has written before, whichever containers it had. */
export function PastLog({ name, source, since }: PastLogProps) {
  const kind = source === "access" ? "requests" : "lines";
  const id = useId();
  const query = useSignal("");
  const from = useSignal("");
  const to = useSignal("");
  const isSearching = useSignal(false);
  const refusal = useSignal<string | undefined>(undefined);
  const found = useSignal<Found | undefined>(undefined);

  async function search(asked: Asked, until: string | undefined, later: readonly string[]) {
    isSearching.value = true;
    refusal.value = undefined;
    try {
      const params = {
        path: { name },
        query: { lines: LINES, source, ...asked, ...(until === undefined ? {} : { until }) },
      };
      const answer = await answerOf(api.GET("/api/apps/{name}/logs", { params, fetch: inItsTurn }));
      const { logs, continue_until: goOn, since } = answer as Exclude<typeof answer, string>;
      const lines = logs === "" ? [] : logs.split("\n");
      // A further search begins where this one did: an hour ago is another time by then.
      const further = { query: asked.query, ...(since === undefined ? {} : { since }) };
      found.value = { lines: [...lines, ...later], goOn: goOn ?? null, further };
    } catch (error) {
      refuse(sentenceOf(error), later);
    } finally {
      isSearching.value = false;
    }
  }

  /** The lines of the search before are no answer to one that is refused; those that it was to go on from stay. */
  function refuse(sentence: string, later: readonly string[] = []) {
    refusal.value = sentence;
    if (later.length === 0) found.value = undefined;
  }

  function searchAnew() {
    if (isSearching.value) return;
    const begin = since ?? timeOf(from.value);
    const end = since === undefined ? timeOf(to.value) : undefined;
    const unread = readFilter(query.value, kind).refusal;
    if (unread !== undefined) return refuse(unread);
    if (since === undefined && begin !== undefined && end !== undefined && begin >= end)
      return refuse("The time of From is not before that of Up to: exchange them.");
    void search({ query: query.value, ...(begin !== undefined && { since: begin }) }, end, []);
  }

  useEffect(() => {
    if (since !== undefined) searchAnew();
  }, []);

  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          searchAnew();
        }}
      >
        {since === undefined && (
          <>
            <label>
              From{" "}
              <input
                type="datetime-local"
                step="1"
                value={from.value}
                onInput={({ currentTarget }) => (from.value = currentTarget.value)}
              />
            </label>
            <label>
              Up to{" "}
              <input
                type="datetime-local"
                step="1"
                value={to.value}
                onInput={({ currentTarget }) => (to.value = currentTarget.value)}
              />
            </label>
          </>
        )}
        <label>
          Search for{" "}
          <input
            type="search"
            value={query.value}
            maxLength={LOG_QUERY_LENGTH_MAX}
            aria-describedby={`${id}-hint`}
            aria-invalid={refusal.value !== undefined}
            onInput={({ currentTarget }) => (query.value = currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={isSearching.value}>
          Search
        </button>
      </form>
      <p class={refusal.value === undefined ? "hint" : "refusal"} id={`${id}-hint`} aria-live="polite">
        {refusal.value ?? LOG_QUERY_HINTS[kind]}
      </p>
      {found.value !== undefined && (
        <Results
          name={name}
          kind={kind}
          found={found.value}
          isSearching={isSearching.value}
          lookBack={({ lines, goOn, further }) => void search(further, goOn ?? undefined, lines)}
        />
      )}
    </>
  );
}

interface ResultsProps {
  name: string;
  kind: "lines" | "requests";
  found: Found;
  isSearching: boolean;
  lookBack(found: Found): void;
}

function Results({ name, kind, found, isSearching, lookBack }: ResultsProps) {
  const { lines, goOn } = found;
  return (
    <>
      <p role="status">{sentenceAbout(found)}</p>
      {goOn !== null && (
        <button type="button" disabled={isSearching} onClick={() => lookBack(found)}>
          Look further back
        </button>
      )}
      {/* Older lines stand before those that are there: the view begins anew. */}
      <LogView
        key={`${lines[0]} ${lines.length}`}
        name={`Past log of ${name}`}
        kind={kind}
        isWhole
        open={(sink) => {
          sink.add(lines);
          return () => undefined;
        }}
      />
    </>
  );
}

function sentenceAbout({ lines, goOn }: Found): string {
  if (goOn !== null) return `This is what was found back to ${goOn}. There may be more before.`;
  return lines.length === 0 ? "Nothing was found." : "This is all that was found.";
}

/** The content of a browser's field of a local time, as the API takes it. */
function timeOf(local: string): string | undefined {
  return local === "" ? undefined : new Date(local).toISOString();
}
