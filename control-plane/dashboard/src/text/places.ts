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
  { path: "/chat", text: "Chat", key: "h" },
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

/** The first parts of their addresses; the home's is empty. */
const PERSONAL = new Set([
  "",
  "activity",
  "apps",
  "authorize",
  "chat",
  "device",
  "new",
  "servers",
  "settings",
  "teams",
]);

/** Whether a person who is signed in finds a page of theirs there, if any. @param path as `location.pathname` has it */
export function isPersonalPath(path: string): boolean {
  return PERSONAL.has(path.split("/")[1] ?? "");
}

/** Where a deploy is watched; one that waits for others of its server has no id yet, and shows up in the list. */
export function pathOfDeploy(app: string, id: string | undefined): string {
  return pathOfTab(app, id === undefined ? "deploys" : `deploys/${id}`);
}

/** The address of one of an app's pages. */
export function pathOfTab(app: string, place: string): string {
  return `/apps/${encodeURIComponent(app)}${place && `/${place}`}`;
}
