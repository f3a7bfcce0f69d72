/** A page that is there for everybody who is signed in. */
export interface Place {
  path: string;
  text: string;
  /** The letter that goes there after `g`. */
  key: string;
}

/** A page of an app. */
export interface TabPlace {
  /** The last part of its address; empty for the overview. */
  place: string;
  text: string;
  key: string;
}

const PLACES: readonly Place[] = [
  { path: "/", text: "Apps", key: "a" },
  { path: "/settings/profile", text: "Profile", key: "p" },
  { path: "/settings/sessions", text: "Sessions", key: "i" },
  { path: "/settings/keys", text: "Keys", key: "k" },
  { path: "/settings/team", text: "Teams", key: "t" },
  { path: "/activity", text: "Activity", key: "y" },
];

const OPERATOR_PLACES: readonly Place[] = [
  { path: "/servers", text: "Servers", key: "v" },
  { path: "/teams", text: "All teams", key: "u" },
];

/** The pages that this person sees. */
export function placesOf({ operator }: { operator: boolean }): readonly Place[] {
  return operator ? [...PLACES, ...OPERATOR_PLACES] : PLACES;
}

export const TABS = [
  { place: "", text: "Overview", key: "o" },
  { place: "deploys", text: "Deploys", key: "d" },
  { place: "env", text: "Variables", key: "e" },
  { place: "domains", text: "Domains", key: "m" },
  { place: "logs", text: "Logs", key: "l" },
  { place: "metrics", text: "Metrics", key: "c" },
  { place: "webhooks", text: "Webhooks", key: "w" },
  { place: "settings", text: "Settings", key: "s" },
] as const satisfies readonly TabPlace[];

export type Tab = (typeof TABS)[number]["place"];

/** The address of one of an app's pages. */
export function pathOfTab(app: string, place: string): string {
  return `/apps/${encodeURIComponent(app)}${place && `/${place}`}`;
}

/** What somebody can choose by writing a part of its name. */
export interface Choosable {
  text: string;
  path: string;
  /** It deploys this app, and goes to the deploy. */
  deploys?: string;
}

const SHOWN_MAX = 12;

/**
 * What fits the words, each of which must be in the name: those whose name begins with what was written first, else in
 * their order.
 */
export function findChoices(all: readonly Choosable[], written: string): Choosable[] {
  const words = written.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = words.join(" ");
  const fitting = all.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const begins = ({ text }: Choosable): boolean => text.toLowerCase().startsWith(whole);
  return [...fitting.filter(begins), ...fitting.filter((one) => !begins(one))].slice(0, SHOWN_MAX);
}

/** The pages of each app, and what can be done to it, after the pages of all. */
export function choicesOf(
  places: readonly Place[],
  tabs: readonly TabPlace[],
  apps: readonly { name: string }[],
): Choosable[] {
  return [
    ...places.map(({ path, text }) => ({ path, text })),
    ...apps.map(({ name }) => ({ path: pathOfTab(name, ""), text: name })),
    ...apps.flatMap(({ name }) => [
      ...tabs
        .filter(({ place }) => place !== "")
        .map(({ place, text }) => ({
          path: pathOfTab(name, place),
          text: `${name}: ${text}`,
        })),
      { path: pathOfTab(name, "deploys"), text: `Deploy ${name}`, deploys: name },
    ]),
  ];
}
