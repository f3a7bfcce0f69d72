const two = (number: number) => String(number).padStart(2, "0");

/** Such as `2026-03-01 12:00`, in the reader's own zone. */
export function shownTime(iso: string): string {
  const time = new Date(iso);
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Such as `2026-03-01 12:00:10`, in the reader's own zone. @param seconds since 1970 */
export function shownMoment(seconds: number): string {
  const time = new Date(seconds * 1000);
  return `${shownTime(time.toISOString())}:${two(time.getSeconds())}`;
}

/** A time among others on a chart's axis: `12:00`, or `03-01` where they are days apart. @param seconds since 1970 */
export function axisTime(seconds: number, among: readonly number[]): string {
  const shown = shownTime(new Date(seconds * 1000).toISOString());
  return (among[1] ?? 0) - (among[0] ?? 0) < DAY_MS / 1000 ? shown.slice(11) : shown.slice(5, 10);
}

const DAY_MS = 86_400_000;

/** The time that many days after `now`, as the API takes it. */
export function daysFrom(now: Date, days: number): string {
  return new Date(now.getTime() + days * DAY_MS).toISOString();
}
