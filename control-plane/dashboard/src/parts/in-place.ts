import { leavePage, presentPage } from "../client/present-page.ts";
import { reach } from "../client/reach.ts";
import { AGAIN_MS } from "../client/refusal.ts";
import { isPersonalPath } from "../text/places.ts";

/** A browser keeps each script that it has run, some 10 KB, until the document ends. */
const VISITS_MAX = 100;

let visits = 0;
/** A script that is on its way can't be called back: it would open its page in the place of a later one. */
let isRunning = false;
/** The page that the last script has opened. */
let opening: Promise<void> | undefined;

/** @param page resolves once it is shown */
export function tellOpening(page: Promise<void>): void {
  opening = page;
}

/**
 * Lets links between the pages of a person change the page within its document (HTML Standard, "The navigation API"): to begin
 * a document takes longer than all the rest of a page. A browser without that interface loads a document for each page.
 * @param onAway hears why the next page can't be read now; it is tried again
 */
export function changeInPlace(onAway: (error: unknown) => void): void {
  if (!("navigation" in globalThis)) return;
  navigation.addEventListener("navigate", (event) => {
    if (!isWithin(event)) return;
    leavePage();
    event.intercept({ handler: () => enter(onAway) });
  });
}

function isWithin(event: NavigateEvent): boolean {
  const { canIntercept, hashChange, downloadRequest, formData, navigationType, destination } = event;
  if (!canIntercept || hashChange || downloadRequest !== null || formData !== null) return false;
  // Back and forth: the browser itself does nothing but change the address.
  if (navigationType === "traverse") return destination.sameDocument;
  return navigationType !== "reload" && !destination.sameDocument && isPersonalPath(new URL(destination.url).pathname);
}

/** Shows the page of the address, which the browser has changed already. */
async function enter(onAway: (error: unknown) => void): Promise<void> {
  if (isRunning || visits === VISITS_MAX) return location.reload();
  const page = presentPage();
  try {
    const next = await readDocument();
    if (page.aborted) return;
    await (isOfThisDocument(next) ? run(next) : location.reload());
  } catch (error) {
    if (page.aborted) return;
    onAway(error);
    setTimeout(() => page.aborted || void enter(onAway), AGAIN_MS);
  }
}

/** @throws Refusal */
async function readDocument(): Promise<Document> {
  const response = await reach(new Request(location.href, { headers: { Accept: "text/html" } }));
  return new DOMParser().parseFromString(response.ok ? await response.text() : "", "text/html");
}

/** A newer control plane has pages of other scripts or of another style; and an address may have no page. */
function isOfThisDocument(next: Document): boolean {
  const own = [new URL(import.meta.url).pathname, hrefOf(document.querySelector("link[rel=stylesheet]"))];
  return own.every((href) => linkIn(next, href) !== undefined) && scriptOf(next) !== undefined;
}

/** Runs the page's script, and waits until the page is shown. */
async function run(next: Document): Promise<void> {
  const parts = [...next.querySelectorAll("link[rel=modulepreload]")];
  document.head.append(...parts.filter((part) => linkIn(document, hrefOf(part)) === undefined));
  isRunning = true;
  opening = undefined;
  // A script runs again under another fragment. Its file is the same, and so are its parts.
  await import(`${scriptOf(next)}#${++visits}`).catch(() => undefined);
  isRunning = false;
  await (opening ?? location.reload());
}

const scriptOf = (page: Document) => page.querySelector("script[type=module]")?.getAttribute("src") ?? undefined;

const hrefOf = (link: Element | null) => link?.getAttribute("href");

const linkIn = (page: Document, href: string | null | undefined) =>
  [...page.querySelectorAll("link")].find((link) => hrefOf(link) === href);
