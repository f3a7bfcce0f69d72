import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { addPictureData, type PictureData } from "../support/pictures/picture-data.ts";
import { untilShown } from "../support/pictures/until-shown.ts";

const WIDTHS = [320, 375, 1440, 2560] as const;

let world: PagesWorld;
let data: PictureData;
beforeAll(async () => {
  world = await startPagesWorld();
  data = await addPictureData(world.http);
});
afterAll(() => world?.stop());

/** Calls `look` with each page, as whoever may see it. @returns the problems of all */
async function onEachPage(look: (page: Page) => Promise<string[]>): Promise<string[]> {
  const problems: string[] = [];
  const visits = [
    { page: await world.openBrowser(data.cookie), paths: data.pages },
    { page: await world.openBrowser(), paths: data.openPages },
  ];
  for (const { page, paths } of visits) {
    for (const path of paths) {
      await page.goto(world.url + path);
      await untilShown(page);
      problems.push(...(await look(page)).map((problem) => `${path}: ${problem}`));
    }
  }
  await world.signOutAll();
  return problems;
}

/** Makes each text 40 % longer, by a word that can't be broken. German texts are as long. */
const LENGTHEN = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const text = node.data.trim();
    if (text !== "" && !node.parentElement.closest(".log-box"))
      node.data += "ß".repeat(Math.min(12, Math.ceil(text.length * 0.4))) + " " + text.slice(0, Math.max(0, text.length * 0.4 - 12));
  }
})()`;

async function widthProblems(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const shown = await page.evaluate("document.documentElement.scrollWidth");
    if (shown !== width) problems.push(`${String(shown)} px wide on a screen of ${width}`);
  }
  return problems;
}

test("no page is wider than the screen from 320 to 2,560 px, with the longest names and with texts 40 % longer", async () => {
  const problems = await onEachPage(async (page) => {
    const asWritten = await widthProblems(page);
    await page.evaluate(LENGTHEN);
    const longer = await widthProblems(page);
    return [...asWritten, ...longer.map((problem) => `lengthened, ${problem}`)];
  });
  expect(problems).toEqual([]);
});

/** The controls that nothing but their color sets apart from the page. */
const BARE_CONTROLS = `[...document.querySelectorAll("button, .button, select, textarea, input:not([type=checkbox])")]
  .filter((control) => control.checkVisibility() && parseFloat(getComputedStyle(control).borderTopWidth) === 0)
  .map(({ outerHTML }) => "no border: " + outerHTML)`;
const MOVING = `document.getAnimations().map(({ animationName }) => "moves: " + animationName)`;

test("every control keeps its border in high contrast and in forced colors, and nothing moves", async () => {
  const problems = await onEachPage(async (page) => {
    const found: string[] = [];
    for (const media of [{ contrast: "more" }, { forcedColors: "active" }, { reducedMotion: "reduce" }] as const) {
      await page.emulateMedia(media);
      found.push(...((await page.evaluate(BARE_CONTROLS)) as string[]), ...((await page.evaluate(MOVING)) as string[]));
    }
    await page.emulateMedia({ contrast: null, forcedColors: null, reducedMotion: null });
    return found;
  });
  expect(problems).toEqual([]);
});
