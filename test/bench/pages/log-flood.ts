import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import { addLiveRelease, ScriptedApps } from "../../support/api/scripted-apps.ts";
import { addPersonWithKey, expectHeading } from "../../support/people/on-page.ts";
import { startPagesWorld } from "../../support/people/pages-world.ts";
import { eventually } from "../../support/tools/eventually.ts";
import type { Figure } from "../figures.ts";

const LINES = 1_000_000;
const LINES_A_SECOND = 20_000;
const TURN_MS = 50;
const TASK_PROMISED_MS = 60;
const MEMORY_PROMISED_MB = 150;

/** Remembers the longest task of those above 50 ms, in milliseconds. */
const WATCH = `
  window.longestTask = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration);
  }).observe({ type: "longtask" });`;

/**
 * The page of an app's log while the app writes a million lines, 20,000 a second: it follows them, and somebody scrolls.
 * @throws Error when the page neither shows a line nor says that it was left out
 */
export async function benchLogFlood(): Promise<Figure[]> {
  const world = await startPagesWorld({ unchecked: true });
  try {
    const agent = new ScriptedApps();
    const serverId = await world.http.addServer("one");
    world.http.links.clients.set(serverId, agent.client());
    const { page, caller } = await addPersonWithKey(world);
    await caller.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/ada/shop" });
    await addLiveRelease(world.http.parts, { name: "shop", userId: caller.userId, serverId });
    const debug = await page.context().newCDPSession(page);
    await debug.send("Performance.enable");
    await page.addInitScript(WATCH);
    await page.goto(`${world.url}/apps/shop/logs`);
    await expectHeading(page, "shop: Logs");
    await eventually(() => agent.followers.size > 0, Boolean, { what: "the page follows the log" });
    await proveWatch(page);

    const memory: number[] = [];
    const flood = write(agent);
    const isOver = flood.then(() => true);
    while (!(await Promise.race([isOver, sleep(1_000, false)]))) {
      memory.push(await heapOf(debug));
      await scroll(page);
    }
    memory.push(await heapOf(debug));
    const longest = Number(await page.evaluate("window.longestTask"));
    const { shown, leftOut } = await eventually(
      () => accountedFor(page),
      (count) => count.shown + count.leftOut >= LINES,
      {
        what: `${LINES} lines are shown, or said to be left out`,
        deadlineMs: 120_000,
        intervalMs: 2_000,
      },
    );
    const figure = { bench: "log-flood", floorIs: "promised" };
    return [
      {
        ...figure,
        what: `longest task of the page, which shows ${shown} lines and says that ${leftOut} were left out`,
        unit: "ms",
        values: [longest],
        floor: [TASK_PROMISED_MS],
      },
      {
        ...figure,
        what: "memory of the page's scripts, at most",
        unit: "MB",
        values: [Math.max(...memory)],
        floor: [MEMORY_PROMISED_MB],
      },
    ];
  } finally {
    await world.stop();
  }
}

/** A watch that sees nothing would be no measurement. What the page's own start takes is measured elsewhere. */
async function proveWatch(page: Page): Promise<void> {
  await page.evaluate("setTimeout(() => { for (const end = performance.now() + 100; performance.now() < end; ); })");
  await eventually(
    () => page.evaluate("window.longestTask"),
    (longest) => Number(longest) >= 100,
    { what: "the page sees its long tasks" },
  );
  await page.evaluate("window.longestTask = 0");
}

async function write(agent: ScriptedApps): Promise<void> {
  const began = performance.now();
  for (let written = 0; written < LINES;) {
    const due = Math.min(LINES, Math.floor(((performance.now() - began) / 1000) * LINES_A_SECOND));
    for (; written < due; written++) {
      agent.write(`INFO GET /orders/${written} 200 12 ms user=${written % 977}`);
    }
    await sleep(TURN_MS);
  }
}

async function heapOf(debug: CDPSession): Promise<number> {
  const { metrics } = await debug.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "JSHeapUsedSize")!.value / 1024 / 1024;
}

/** Somebody looks at older lines, and goes back to the newest. */
async function scroll(page: Page): Promise<void> {
  await page.getByRole("log").hover();
  for (let turn = 0; turn < 5; turn++) await page.mouse.wheel(0, -400);
  await page.getByRole("button", { name: "Follow" }).click();
}

/** The lines that the page has, and those that it says were left out. */
async function accountedFor(page: Page): Promise<{ shown: number; leftOut: number }> {
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save" }).click();
  const text = readFileSync(await (await saved).path(), "utf8");
  const sayings = [...text.matchAll(/^\[(\d+) lines were left out here\]$/gm)];
  const leftOut = sayings.reduce((sum, [, count]) => sum + Number(count), 0);
  return { shown: text.split("\n").length - 1 - sayings.length, leftOut };
}
