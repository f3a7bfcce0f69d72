/**
 * Makes the picture book anew: `npm run pictures` writes every page, narrow and wide, light and dark, into the folder
 * `pictures/`, with an `index.html` that shows them side by side.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startPagesWorld } from "../people/pages-world.ts";
import { ensureBundles } from "../platform/bundles.ts";
import { addPictureData } from "./picture-data.ts";
import { pictureBook, pictureName } from "./picture-book.ts";
import { untilShown } from "./until-shown.ts";

const FOLDER = join(import.meta.dirname, "../../../pictures");
const WIDTHS = [375, 1440] as const;
const SCHEMES = ["light", "dark"] as const;

await ensureBundles();
await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER);
const world = await startPagesWorld();
try {
  const data = await addPictureData(world.http);
  const [owner, newcomer] = [await world.openBrowser(data.cookie), await world.openBrowser(data.newcomerCookie)];
  const visitor = await world.openBrowser();
  const besideChat = "/apps/shop";
  const newcomersPages = ["/", "/settings/keys", "/activity", "/chat"];
  for (const path of data.pages) await take(owner, path, "");
  for (const path of newcomersPages) await take(newcomer, path, "empty");
  for (const path of data.openPages) await take(visitor, path, "");
  await take(owner, besideChat, "drawer", () => owner.keyboard.press("c"));
  const names = [...data.pages, ...data.openPages].map((path) => pictureName(path, ""));
  names.push(...newcomersPages.map((path) => pictureName(path, "empty")));
  names.push(pictureName(besideChat, "drawer"));
  await writeFile(join(FOLDER, "index.html"), pictureBook(names, WIDTHS, SCHEMES));
  process.stdout.write(`${names.length * WIDTHS.length * SCHEMES.length} pictures are in ${FOLDER}.\n`);
  for (const complaint of world.complaints) process.stderr.write(`${complaint}\n`);
} finally {
  await world.stop();
}

/** @param act brings the page into that state */
async function take(page: Page, path: string, state: string, act = () => Promise.resolve()): Promise<void> {
  await page.goto(world.url + path);
  await untilShown(page);
  await act();
  await untilShown(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === 375 ? 800 : 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const file = `${pictureName(path, state)}-${width}-${colorScheme}.png`;
      await page.screenshot({ path: join(FOLDER, file), fullPage: true });
    }
  }
}
