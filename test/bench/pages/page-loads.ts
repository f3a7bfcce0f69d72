import { boundHeap } from "@svc/control-plane/platform/bound-heap.ts";
import type { CDPSession, Page } from "playwright-core";
import { startPagesWorld, type PagesWorld } from "../../support/people/pages-world.ts";
import { addPictureData } from "../../support/pictures/picture-data.ts";
import { eventually } from "../../support/tools/eventually.ts";
import type { Figure } from "../figures.ts";

const FIRST_ROUNDS = 3;
/** In the first of them, a page's script comes from the service too; later ones come from the browser. */
const LATER_ROUNDS = 9;
/** A slow telephone: 1.6 Mbit/s, 150 ms to the answer's first byte, and a processor four times as slow as this one. */
const BYTES_PER_SECOND = 200_000;
const LATENCY_MS = 150;
const CPU_SLOWDOWN = 4;
const FIRST_PROMISED_MS = 1_200;
const LATER_PROMISED_MS = 100;

/**
 * Remembers since when, by the clock that documents share, a page's own content is shown and nothing of it is awaited. A page
 * writes its title when it shows its content; what is left has none.
 */
const WATCH = `
  window.shownSince = undefined;
  const now = () => performance.timeOrigin + performance.now();
  const look = () => {
    const isAwaited = document.querySelector(".loading") !== null;
    const hasContent = document.title.endsWith(location.hostname) && document.querySelector("h1") !== null;
    window.shownSince = hasContent && !isAwaited ? (window.shownSince ?? now()) : undefined;
    requestAnimationFrame(look);
  };
  look();`;
/** Leaves the page as its links do. @returns when */
const goTo = (path: string) => `(() => {
  document.title = "";
  window.shownSince = undefined;
  const begunAt = performance.timeOrigin + performance.now();
  location.assign(${JSON.stringify(path)});
  return begunAt;
})()`;
/** The address of what is shown, and since when: content that is shown for so long is all there. */
const SHOWN = `({
  path: location.pathname + location.search,
  since: window.shownSince + 600 < performance.timeOrigin + performance.now() ? window.shownSince : undefined,
})`;

/** How long each page takes until it is shown and answers: the first one on a slow telephone, the next ones on this machine. */
export async function benchPageLoads(): Promise<Figure[]> {
  // The service's daemon, which is a process of its own otherwise, begins with this.
  boundHeap();
  const world = await startPagesWorld({ unchecked: true });
  try {
    const { cookie, pages } = await addPictureData(world.http);
    const addresses = pages.filter((path) => path !== "/nowhere" && path.length < 60);
    const first = new Map(addresses.map((path) => [path, [] as number[]]));
    for (let round = 0; round < FIRST_ROUNDS; round++) {
      for (const path of addresses) first.get(path)!.push(await firstLoad(world, cookie, path));
    }
    const later = await laterLoads(world, cookie, addresses);
    return [
      ...figures("first load, slow", first, FIRST_PROMISED_MS),
      ...figures("later page", later, LATER_PROMISED_MS),
    ];
  } finally {
    await world.stop();
  }
}

function figures(what: string, times: ReadonlyMap<string, number[]>, promised: number): Figure[] {
  return [...times].map(([path, values]) => ({
    bench: "pages",
    what: `${what}: ${path.replace(/[0-9a-f-]{36}/, ":id")}`,
    unit: "ms",
    values,
    floor: [promised],
    floorIs: "promised",
  }));
}

/** In a browser that has nothing of the service yet. */
async function firstLoad(world: PagesWorld, cookie: string, path: string): Promise<number> {
  const page = await world.openFreshBrowser(cookie);
  try {
    await page.addInitScript(WATCH);
    const debug = await page.context().newCDPSession(page);
    await slowDown(debug);
    await page.goto(world.url + path);
    return (await shownSince(page, path)) - Number(await page.evaluate("performance.timeOrigin"));
  } finally {
    await page.context().close();
  }
}

async function slowDown(debug: CDPSession): Promise<void> {
  await debug.send("Network.enable");
  await debug.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
  await debug.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
}

interface Shown {
  path: string;
  since?: number;
}

/** @returns milliseconds, by the clock of `WATCH` */
async function shownSince(page: Page, path: string): Promise<number> {
  const shown = await eventually(
    // A document that is left just then answers nothing.
    () => page.evaluate<Shown>(SHOWN).catch((): Shown => ({ path: "" })),
    (shown) => shown.path === path && shown.since !== undefined,
    { what: `${path} is shown`, deadlineMs: 30_000, intervalMs: 100 },
  );
  return shown.since!;
}

/** From page to page, in a browser that has shown another one of the service. */
async function laterLoads(world: PagesWorld, cookie: string, paths: readonly string[]): Promise<Map<string, number[]>> {
  const times = new Map(paths.map((path) => [path, [] as number[]]));
  const page = await world.openFreshBrowser(cookie);
  await page.addInitScript(WATCH);
  await page.goto(`${world.url}/device`);
  await shownSince(page, "/device");
  for (let round = 0; round < LATER_ROUNDS; round++) {
    for (const path of paths) {
      const begunAt = Number(await page.evaluate(goTo(path)));
      times.get(path)!.push((await shownSince(page, path)) - begunAt);
    }
  }
  await page.context().close();
  return times;
}
