import { openingPage, presentPage, SHARED_FILE, tellOpening } from "../../client/present-page.ts";
import { reach } from "../../client/reach.ts";
import { AGAIN_MS } from "../../client/refusal.ts";
import "../shared-by-pages.ts";

/** A browser keeps each script that it has run, some 10 KB, until the document ends. */
const VISITS_MAX = 60;

let visits = 0;
/** A script that is on its way can't be called back: it would open its page in the place of a later one. */
let isRunning = false;

/**
 * Shows the page of the address, which the browser has changed already.
 * @param onAway hears why it can't be read now; it is tried again
 */
export async function enterPage(onAway: (error: unknown) => void): Promise<void> {
  if (isRunning || visits === VISITS_MAX) return location.reload();
  const page = presentPage();
  try {
    const { next, reads } = await readDocument();
    if (page.aborted) return;
    await (isOfThisDocument(next) ? run(next, reads) : location.reload());
  } catch (error) {
    if (page.aborted) return;
    onAway(error);
    setTimeout(() => page.aborted || void enterPage(onAway), AGAIN_MS);
  }
}

interface NextPage {
  next: Document;
  /** Addresses that its script reads at once, as the answer's `Link` header names them (RFC 8288). */
  reads: string[];
}

/** @throws Refusal */
async function readDocument(): Promise<NextPage> {
  const response = await reach(new Request(location.href, { headers: { Accept: "text/html" } }));
  const reads = [...(response.headers.get("Link") ?? "").matchAll(/<([^>]+)>/g)].map(([, address]) => address!);
  const text = response.ok ? await response.text() : "";
  return { next: new DOMParser().parseFromString(text, "text/html"), reads };
}

/** A newer control plane has pages of other scripts or of another style; and an address may have no page. */
function isOfThisDocument(next: Document): boolean {
  const own = [new URL(SHARED_FILE).pathname, hrefOf(document.querySelector("link[rel=stylesheet]"))];
  return own.every((href) => linkIn(next, href) !== undefined) && scriptOf(next) !== undefined;
}

/** Runs the page's script, and waits until the page is shown. */
async function run(next: Document, reads: readonly string[]): Promise<void> {
  const parts = [...next.querySelectorAll("link[rel=modulepreload]")];
  document.head.append(...parts.filter((part) => linkIn(document, hrefOf(part)) === undefined));
  begin(reads);
  isRunning = true;
  tellOpening(undefined);
  // A script runs again under another fragment. Its file is the same, and so are its parts.
  await import(`${scriptOf(next)}#${++visits}`).catch(() => undefined);
  isRunning = false;
  await (openingPage() ?? location.reload());
}

/** Reads beside the script, as a browser does by itself for a document. The script takes each answer, once. */
function begin(reads: readonly string[]): void {
  for (const former of document.querySelectorAll("link[as=fetch]")) former.remove();
  const links = reads.map((href) =>
    Object.assign(document.createElement("link"), { rel: "preload", as: "fetch", crossOrigin: "", href }),
  );
  document.head.append(...links);
}

const scriptOf = (page: Document) => page.querySelector("script[type=module]")?.getAttribute("src") ?? undefined;

const hrefOf = (link: Element | null) => link?.getAttribute("href");

const linkIn = (page: Document, href: string | null | undefined) =>
  [...page.querySelectorAll("link")].find((link) => hrefOf(link) === href);
