/** Such as `2026-03-01 12:00`, in the reader's own zone. */
export function shownTime(iso: string): string {
  const time = new Date(iso);
  const two = (number: number) => String(number).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

const DAY_MS = 86_400_000;

/** The time that many days after `now`, as the API takes it. */
export function daysFrom(now: Date, days: number): string {
  return new Date(now.getTime() + days * DAY_MS).toISOString();
}
