import type { Look } from "../../text/metrics/facts.ts";

const WIDTH = 300;
const HEIGHT = 40;

interface SmallChartProps {
  /** Such as `Requests`. */
  title: string;
  look: Look;
  values: readonly (number | null)[];
}

/** Counts of the last hour as bars, with their sum; what is not known leaves a gap. */
export function SmallChart({ title, look, values }: SmallChartProps) {
  const known = values.filter((value) => value !== null);
  const total = known.length === 0 ? "not known" : known.reduce((a, b) => a + b, 0);
  const most = values.reduce<number>((a, b) => Math.max(a, b ?? 0), 1);
  const width = WIDTH / Math.max(1, values.length);
  const bars = values.map((value, place) => {
    const height = ((value ?? 0) / most) * HEIGHT;
    return value === null || value === 0 ? "" : `M${place * width} ${HEIGHT}v${-height}h${width * 0.8}v${height}z`;
  });
  return (
    <figure>
      <figcaption>
        {title} in the last hour: <strong>{total}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" class={`bars-${look}`}>
        <path d={bars.join("")} />
      </svg>
    </figure>
  );
}
