import { afterAll, beforeAll, expect, test } from "vitest";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { addPictureData, type PictureData } from "../support/pictures/picture-data.ts";
import { untilShown } from "../support/pictures/until-shown.ts";

let world: PagesWorld;
let data: PictureData;
beforeAll(async () => {
  world = await startPagesWorld();
  data = await addPictureData(world.http);
});
afterAll(() => world?.stop());

/** Notes what the page's own scripts ask for. */
const NOTE_READS = `
  window.reads = [];
  const original = window.fetch;
  window.fetch = (request, ...rest) => {
    window.reads.push((request.url ?? String(request)).replace(location.origin, ""));
    return original(request, ...rest);
  };`;

test("what a document has the browser read ahead is what its script asks for, and is read no second time", async () => {
  const page = await world.openFreshBrowser(data.cookie);
  await page.addInitScript(NOTE_READS);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url().replace(world.url, "")));
  const problems: string[] = [];
  let readAhead = 0;
  for (const path of data.pages) {
    asked.length = 0;
    const response = await page.goto(world.url + path);
    await untilShown(page);
    const links = [...(response?.headers()["link"] ?? "").matchAll(/<([^>]+)>/g)].map(([, address]) => address!);
    const reads = (await page.evaluate("window.reads")) as string[];
    for (const link of links) {
      const times = (all: readonly string[]): number => all.filter((address) => address === link).length;
      if (times(reads) === 0) problems.push(`${path} does not ask for ${link}`);
      // Both grow when a page looks again.
      else if (times(asked) > times(reads)) problems.push(`${path} reads ${link} twice`);
      readAhead += 1;
    }
  }
  expect(problems).toEqual([]);
  expect(readAhead).toBeGreaterThan(data.pages.length);
});
