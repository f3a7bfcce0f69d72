import {
  isDocumentWhole,
  leavePage,
  loadNextDocument,
  openingPage,
  SHARED_FILE,
  tellOpening,
} from "../../client/present-page.ts";
import { beginReads, READ_MS_MAX, reach } from "../../client/reach.ts";
import { AGAIN_MS, refusalOf } from "../../client/refusal.ts";
import "../shared-by-pages.ts";

/** A browser keeps each script that it has run, some 10 KB, until the document ends. */
const VISITS_MAX = 60;

/** A page that was scrolled is as long again as it was once its lists are there; a list that is late is not waited for. */
const RETURN_MS_MAX = 3_000;

/** A document says nothing of a person, and is used again. After so long it is read anew, once its page is shown. */
const KEPT_MS_MAX = 60_000;

let visits = 0;
/** A script that is on its way can't be called back: it would open its page in the place of a later one. */
let isRunning = false;
/** Is aborted by the next link that is followed. */
let entering = new AbortController();

interface Entering {
  /** Whether a person comes back to the page: the browser scrolls to where they were as soon as it is shown. */
  isReturn: boolean;
  /** Hears why the page can't be read now; it is tried again. */
  onAway: (error: unknown) => void;
}

/** Shows the page of the address, which the browser has changed already. */
export async function enterPage(how: Entering): Promise<void> {
  if (isRunning || !isDocumentWhole() || visits === VISITS_MAX) return location.reload();
  entering.abort();
  entering = new AbortController();
  const { signal } = entering;
  try {
    const next = await nextPage(signal);
    if (signal.aborted) return;
    await (isOfThisDocument(next.document) ? runScript(next) : location.reload());
    void renewPage(signal);
    if (how.isReturn) await untilNothingIsAwaited();
  } catch (error) {
    if (signal.aborted) return;
    leavePage();
    how.onAway(error);
    setTimeout(() => signal.aborted || void enterPage(how), AGAIN_MS);
  }
}

interface NextPage {
  document: Document;
  /** Addresses that its script reads at once, as the answer's `Link` header names them (RFC 8288). */
  reads: string[];
}

/** Pages that were read, by path; no more than there are visits. */
const kept = new Map<string, { page: NextPage; readAt: number }>();

/** @throws Refusal */
async function nextPage(signal: AbortSignal): Promise<NextPage> {
  return kept.get(location.pathname)?.page ?? readAndKeep(signal);
}

/** Reads the document of the page that is shown again, when it is old. A page that is shown stays: it may be in use. */
async function renewPage(signal: AbortSignal): Promise<void> {
  const known = kept.get(location.pathname);
  if (signal.aborted || known === undefined || performance.now() - known.readAt < KEPT_MS_MAX) return;
  // The page itself says when the service is away.
  const page = await readAndKeep(signal).catch(() => known.page);
  if (!isOfThisDocument(page.document)) loadNextDocument();
}

/** @throws Refusal */
async function readAndKeep(signal: AbortSignal): Promise<NextPage> {
  const path = location.pathname;
  const page = await readNext(signal);
  kept.set(path, { page, readAt: performance.now() });
  return page;
}

/** @throws Refusal */
async function readNext(signal: AbortSignal): Promise<NextPage> {
  const response = await reach(new Request(location.href, { headers: { Accept: "text/html" } }), { page: signal });
  // The proxy, or the service, is not well: the browser would show that and stay there.
  if (response.status >= 500) throw refusalOf(response.status, undefined);
  const reads = [...(response.headers.get("Link") ?? "").matchAll(/<([^>]+)>/g)].map(([, address]) => address!);
  const text = response.ok ? await response.text() : "";
  return { document: new DOMParser().parseFromString(text, "text/html"), reads };
}

/** False for a newer control plane, whose pages have other scripts or another style; and where an address has no page. */
function isOfThisDocument(next: Document): boolean {
  const own = [new URL(SHARED_FILE).pathname, hrefOf(document.querySelector("link[rel=stylesheet]"))];
  return own.every((href) => linkIn(next, href) !== undefined) && scriptOf(next) !== undefined;
}

/** Runs the page's script, and waits until the page is shown. */
async function runScript({ document: next, reads }: NextPage): Promise<void> {
  const parts = [...next.querySelectorAll("link[rel=modulepreload]")];
  document.head.append(...parts.filter((part) => linkIn(document, hrefOf(part)) === undefined));
  // The person is known, and is read again once the page is shown.
  beginReads(reads.filter((address) => address !== "/auth/session"));
  leavePage();
  isRunning = true;
  tellOpening(undefined);
  // A script runs again under another fragment. Its file is the same, and so are its parts.
  const ran = import(`${scriptOf(next)}#${++visits}`).catch(() => undefined);
  await Promise.race([ran, new Promise((resolve) => setTimeout(resolve, READ_MS_MAX))]);
  isRunning = false;
  await (openingPage() ?? location.reload());
}

async function untilNothingIsAwaited(): Promise<void> {
  const until = performance.now() + RETURN_MS_MAX;
  while (document.querySelector("main .loading") !== null && performance.now() < until)
    await new Promise(requestAnimationFrame);
}

const scriptOf = (page: Document) => page.querySelector("script[type=module]")?.getAttribute("src") ?? undefined;

const hrefOf = (link: Element | null) => link?.getAttribute("href");

const linkIn = (page: Document, href: string | null | undefined) =>
  [...page.querySelectorAll("link")].find((link) => hrefOf(link) === href);
