import { startPagesWorld } from "../../support/people/pages-world.ts";
import { addPictureData } from "../../support/pictures/picture-data.ts";
const world = await startPagesWorld({ unchecked: true });
const { cookie } = await addPictureData(world.http);
const page = await world.openFreshBrowser(cookie);
await page.goto(`${world.url}/device`);
for (let r = 0; r < 4; r++) for (const path of ["/settings/keys", "/apps/shop", "/apps/shop/env", "/"]) {
  const out = await page.evaluate(`(async () => {
    performance.clearResourceTimings();
    document.title = "";
    const t0 = performance.now();
    let shown, done;
    const seen = new Promise((r) => { const look = () => { if (document.title) shown ??= performance.now() - t0; if (document.title && !document.querySelector(".loading")) { done = performance.now() - t0; return r(); } requestAnimationFrame(look); }; look(); });
    location.assign(${JSON.stringify(path)});
    await seen;
    return [Math.round(shown), Math.round(done), ...performance.getEntriesByType("resource").map((e) => e.name.replace(location.origin, "") + " " + Math.round(e.startTime - t0) + "-" + (e.responseStart ? Math.round(e.responseStart - t0) + "-" : "") + Math.round(e.responseEnd - t0))];
  })()`) as string[];
  if (r > 0) console.log(path, out.slice(0, 2).join(" "), "\n   " + out.slice(2).join("\n   "));
  await new Promise((r) => setTimeout(r, 700));
}
await world.stop();
