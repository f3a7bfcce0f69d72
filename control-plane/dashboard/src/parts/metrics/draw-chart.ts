import UPlot from "uplot";
import type { Fact, Look } from "../../text/metrics/facts.ts";
import { besideLine, withRoom } from "../../text/metrics/with-room.ts";
import { axisTime } from "../../text/time.ts";
import { adoptStyle } from "../style/adopt-style.ts";
import "../shared-by-pages.ts";
import style from "./chart.css";

adoptStyle(style);

export interface ChartData {
  fact: Fact;
  /** Seconds since 1970, one for each value. */
  times: readonly number[];
  /** Deploys that ended, the look of those that did not succeed being another. */
  marks: readonly { seconds: number; text: string; look: Look }[];
}

const HEIGHT = 160;
const AXIS_WIDTH = 76;
const AXIS_HEIGHT = 28;

/** All charts of a page point to the same moment. */
const SYNC = UPlot.sync("metrics");

/** Properties of pages.css, which are other ones in the dark, and colors of the system where it chooses them. */
const COLORS: Record<Look | "text" | "grid", string> = {
  main: "--accent",
  bad: "--bad",
  quiet: "--quiet",
  text: "--quiet",
  grid: "--line",
};
const DASHES: Record<Look, number[]> = { main: [], bad: [6, 3], quiet: [2, 3] };

/**
 * Draws a chart into an element as wide as it. It follows the element's width and the colors of the system.
 * @param onPoint is told which value the pointer is at; null when it left
 */
export function drawChart(place: HTMLElement, first: ChartData, onPoint: (index: number | null) => void) {
  let { marks, times } = first;
  const color = (name: keyof typeof COLORS) => () => getComputedStyle(place).getPropertyValue(COLORS[name]).trim();
  const grid = { stroke: color("grid"), width: 1 };
  const ticks = { show: false };
  const font = "12px system-ui, sans-serif";
  const { amount, lines, steps } = first.fact;

  const chart = new UPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { sync: { key: SYNC.key }, drag: { x: false, y: false }, y: false },
      scales: {
        // A deploy may have ended after the last value.
        x: { range: () => [times[0] ?? 0, Math.max(times.at(-1) ?? 1, ...marks.map(({ seconds }) => seconds))] },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
      },
      axes: [
        {
          stroke: color("text"),
          grid,
          ticks,
          font,
          size: AXIS_HEIGHT,
          values: (_, splits) => splits.map((at) => axisTime(at, splits)),
        },
        {
          stroke: color("text"),
          grid,
          ticks,
          font,
          size: AXIS_WIDTH,
          ...(steps && { incrs: [...steps] }),
          values: (_, splits) => splits.map((value) => amount(value)),
        },
      ],
      series: [
        {},
        ...lines.map(({ label, look }) => ({
          label,
          stroke: color(look),
          dash: DASHES[look],
          width: 1.5,
          points: { size: 4 },
        })),
      ],
      hooks: {
        draw: [(drawn) => drawMarks(drawn, marks, (look) => color(look)())],
        setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
      },
    },
    columns(first),
    place,
  );

  const resized = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT }));
  resized.observe(place);
  const schemes = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) => matchMedia(query));
  const redraw = () => chart.redraw();
  for (const scheme of schemes) scheme.addEventListener("change", redraw);

  return {
    show(next: ChartData) {
      ({ marks, times } = next);
      chart.setData(columns(next));
    },
    remove() {
      resized.disconnect();
      for (const scheme of schemes) scheme.removeEventListener("change", redraw);
      chart.destroy();
    },
  };
}

export type DrawnChart = ReturnType<typeof drawChart>;

function columns({ times, fact }: ChartData): UPlot.AlignedData {
  return [[...times], ...fact.lines.map(({ values }) => [...values])];
}

/** A line for each deploy, with its release where that can be taken for no other line's. */
function drawMarks(
  { ctx, bbox, valToPos, scales }: UPlot,
  marks: ChartData["marks"],
  colorOf: (look: Look) => string,
): void {
  const { min = 0, max = 0 } = scales["x"]!;
  if (min === null || max === null) return;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  // The axes leave another alignment behind.
  ctx.textAlign = "left";
  const shown = marks
    .filter(({ seconds }) => seconds >= min && seconds <= max)
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ seconds, text, look }) => ({ text, look, x: valToPos(seconds, "x", true) }));
  for (const { x, look } of shown) {
    ctx.strokeStyle = colorOf(look);
    ctx.setLineDash(DASHES[look].map((length) => length * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  const bounds = { from: bbox.left, to: bbox.left + bbox.width };
  const labels = shown.flatMap((mark) => {
    const label = ` ${mark.text} `;
    const others = shown.filter((each) => each !== mark).map(({ x }) => x);
    const span = besideLine({ x: mark.x, width: ctx.measureText(label).width }, others, bounds);
    return span === undefined ? [] : [{ ...span, label, look: mark.look }];
  });
  for (const { label, look, from } of withRoom(labels)) {
    ctx.fillStyle = colorOf(look);
    ctx.fillText(label, from, bbox.top + 10 * devicePixelRatio);
  }
  ctx.restore();
}
