import { pathOfTab, type Place, type TabPlace } from "./places.ts";

/** A page that somebody chooses by writing a part of its name, or of what can be done there. */
export interface Choosable {
  text: string;
  path: string;
}

/** Names of what a person has. */
export interface Owned {
  apps: readonly { name: string }[];
  teams: readonly { id: string; name: string }[];
}

/** As many as are seen at once. */
export const CHOICES_MAX = 12;

/**
 * Finds what fits the words, each of which must be in the name: those whose name begins with what was written first, else in
 * their order.
 */
export function findChoices(all: readonly Choosable[], written: string): Choosable[] {
  const words = written.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = words.join(" ");
  const fitting = all.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const begins = ({ text }: Choosable): boolean => text.toLowerCase().startsWith(whole);
  return [...fitting.filter(begins), ...fitting.filter((one) => !begins(one))].slice(0, CHOICES_MAX);
}

/** The pages of each app, and those where something is done to it, after the pages of all. */
export function choicesOf(places: readonly Place[], tabs: readonly TabPlace[], { apps, teams }: Owned): Choosable[] {
  return [
    ...places.map(({ path, text }) => ({ path, text })),
    { path: "/new", text: "New app" },
    ...apps.map(({ name }) => ({ path: pathOfTab(name, ""), text: name })),
    ...teams.map(({ id, name }) => ({ path: `/settings/team?team=${id}`, text: `Team ${name}` })),
    ...apps.flatMap(({ name }) => [
      ...tabs
        .filter(({ place }) => place !== "")
        .map(({ place, text }) => ({
          path: pathOfTab(name, place),
          text: `${name}: ${text}`,
        })),
      { path: pathOfTab(name, "deploys"), text: `Deploy ${name}` },
      { path: pathOfTab(name, "deploys"), text: `Roll ${name} back` },
      { path: pathOfTab(name, ""), text: `Start, stop or restart ${name}` },
    ]),
  ];
}
