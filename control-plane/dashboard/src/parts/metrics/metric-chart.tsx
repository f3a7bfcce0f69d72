import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { loaded } from "../../client/present-page.ts";
import type { Fact } from "../../text/metrics/facts.ts";
import { shownMoment } from "../../text/time.ts";
import { Table } from "../lists/table.tsx";
import type { ChartData, DrawnChart } from "./draw-chart.ts";

/** A chart with its values in words and in a table. The drawing is loaded after the page: it is larger than that. */
export function MetricChart(data: ChartData) {
  const { fact, times } = data;
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnChart | undefined>(undefined);
  const shown = useRef(data);
  const point = useSignal<number | null>(null);

  useEffect(() => {
    let isGone = false;
    void loaded(import("./draw-chart.ts")).then(
      ({ drawChart }) => {
        if (!isGone) drawn.current = drawChart(place.current!, shown.current, (index) => (point.value = index));
      },
      // The words and the table say the same.
      () => undefined,
    );
    return () => {
      isGone = true;
      // The next page is shown first.
      setTimeout(() => drawn.current?.remove());
    };
  }, []);
  useEffect(() => {
    shown.current = data;
    drawn.current?.show(data);
  }, [times, fact, data.marks]);

  const at = point.value === null ? undefined : times[point.value];
  return (
    <section class="metric" aria-labelledby={id}>
      <h2 id={id}>{fact.title}</h2>
      <p class="hint">{at === undefined ? fact.summary : `${shownMoment(at)}: ${valuesAt(fact, point.value!)}`}</p>
      <ul class="legend">
        {fact.lines.map(({ label, look }) => (
          <li key={label} class={`line-${look}`}>
            {label}
          </li>
        ))}
      </ul>
      {/* The sentence above and the table below say the same. */}
      <div class="chart" ref={place} aria-hidden="true" />
      <MetricTable fact={fact} times={times} />
    </section>
  );
}

function valuesAt({ lines, amount }: Fact, index: number): string {
  const parts = lines.map(({ label, values }) => {
    const value = values[index] ?? null;
    return `${label} ${value === null ? "not known" : amount(value)}`;
  });
  return parts.join(", ");
}

/** The newest first. The rows are made once somebody opens it. */
function MetricTable({ fact, times }: Pick<ChartData, "fact" | "times">) {
  const isOpen = useSignal(false);
  const rows = isOpen.value ? [...times.keys()].toReversed() : [];
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{fact.title} as a table</summary>
      {isOpen.value && (
        <Table
          label={`Table of ${fact.title.toLowerCase()}`}
          isTall
          rows={rows}
          keyOf={(index) => times[index]!}
          columns={{
            From: (index) => shownMoment(times[index]!),
            ...Object.fromEntries(
              fact.lines.map(({ label, values }) => {
                return [label, (index: number) => (values[index] === null ? "not known" : fact.amount(values[index]!))];
              }),
            ),
          }}
        />
      )}
    </details>
  );
}
