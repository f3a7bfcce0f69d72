import type { Person } from "./answers.ts";

/** The person whose pages this document shows. */
let owner: Person | undefined;
let mayHaveChanged = false;
/** The id of the person that the document's first answer was for. */
let first: string | undefined;

/** From now on each request names the person, and the control plane refuses it once somebody else is signed in. */
export function setOwner(person: Person): void {
  owner = person;
  mayHaveChanged = false;
}

export const documentOwner = (): Person | undefined => owner;

/** The person as they were read last; undefined before that, and once they may have changed. */
export const knownOwner = (): Person | undefined => (mayHaveChanged ? undefined : owner);

/** A change was sent that may be one of the person. */
export function readOwnerAnew(): void {
  mayHaveChanged = true;
}

/** Whether the document may hold what another person was answered. */
export const isOthersDocument = ({ id }: Person): boolean => id !== (owner?.id ?? first ?? id);

const HEADER = "Svc-Person";

/** The headers that each request of a page has. */
export const ownerHeaders = (): [name: string, value: string][] => (owner === undefined ? [] : [[HEADER, owner.id]]);

/** Whether an answer is for another person: a browser may have asked ahead of the page, without its header. */
export function isForAnother({ headers }: Response): boolean {
  const person = headers.get(HEADER);
  if (person === null) return false;
  first ??= person;
  return person !== (owner?.id ?? first);
}
