let present = new AbortController();

/** Is aborted when the page is left for another one within the document: what belongs to the page ends then. */
export function presentPage(): AbortSignal {
  return present.signal;
}

/** Ends what belongs to the present page: another one is on its way. What is shown stays until `beginPage`, and nothing of it goes on. */
export function leavePage(): void {
  present.abort();
}

/** Is for the page whose script runs next. */
export function beginPage(): void {
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
