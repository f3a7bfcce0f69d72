import type { Person } from "./answers.ts";

/** The person whose pages this document shows. */
let owner: Person | undefined;
let mayHaveChanged = false;

/** From now on each request names the person, and the control plane refuses it once somebody else is signed in. */
export function setOwner(person: Person): void {
  owner = person;
  mayHaveChanged = false;
}

export const documentOwner = (): Person | undefined => owner;

/** The person as they were read last; undefined where they are to be read first. */
export const knownOwner = (): Person | undefined => (mayHaveChanged ? undefined : owner);

/** What was just sent may have changed the person. */
export function readOwnerAnew(): void {
  mayHaveChanged = true;
}

const HEADER = "Svc-Person";

/** The headers that each request of a page has. */
export const ownerHeaders = (): [name: string, value: string][] => (owner === undefined ? [] : [[HEADER, owner.id]]);

/** Whether an answer is for another person: a browser may have asked ahead of the page, without its header. */
export function isForAnother({ headers }: Response): boolean {
  const person = headers.get(HEADER);
  return owner !== undefined && person !== null && person !== owner.id;
}
