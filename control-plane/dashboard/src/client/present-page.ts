let present = new AbortController();

/** Is aborted when the page is left for another one within the document: what belongs to the page ends then. */
export function presentPage(): AbortSignal {
  return present.signal;
}

/** Ends what belongs to the present page, as another one takes its place. Until then a person may still act on it. */
export function leavePage(): void {
  present.abort();
  present = new AbortController();
}

/** The page that the last script has opened. */
let opening: Promise<void> | undefined;

/** @param page resolves once it is shown */
export function tellOpening(page: Promise<void> | undefined): void {
  opening = page;
}

export const openingPage = (): Promise<void> | undefined => opening;

/** The address of the file that all pages of this version have in common. */
export const SHARED_FILE = import.meta.url;

let isWhole = true;

/** The next link loads a document: this one is of an older control plane, or a part of it is missing. */
export function loadNextDocument(): void {
  isWhole = false;
}

/** Hands on a part that is loaded when somebody wants it. A browser remembers a failure until the document ends (HTML Standard, "module map"). */
export function loaded<T>(part: Promise<T>): Promise<T> {
  part.catch(loadNextDocument);
  return part;
}

export const isDocumentWhole = (): boolean => isWhole;
