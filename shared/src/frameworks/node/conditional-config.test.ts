import { describe, expect, it } from "vitest";
import { ASTRO, LOCK, NEXT_APP, pkg, text, VITE, type Files } from "../sample-repositories.ts";

const EXPORTED = "COPY --from=build /app/out /srv";

function next(config: string, build = "next build", more: Files = {}): Files {
  const scripts = { build, start: "next start" };
  return { ...NEXT_APP, ...pkg({ on: ["next", "react"], scripts }), "next.config.mjs": config, ...more };
}

describe("an output of Next.js on a condition", () => {
  it.each([
    ["of production", 'export default { output: process.env.NODE_ENV === "production" ? "export" : undefined };'],
    [
      "by a name",
      'const isProd = process.env.NODE_ENV === "production"; export default { ...(isProd && { output: "export" }) };',
    ],
    ["of no other host", 'export default { output: !process.env.VERCEL ? "export" : undefined };'],
    [
      "of two parts",
      'export default { output: process.env["VERCEL"] || process.env.NODE_ENV != "production" ? undefined : "export" };',
    ],
  ])("%s holds, so that files are served", (_, config) => {
    expect(text(next(config))).toContain(EXPORTED);
  });

  it.each([
    ["of another host", 'export default { output: process.env.GITHUB_ACTIONS === "true" ? "export" : undefined };'],
    ["of development", 'export default { output: process.env.NODE_ENV === "development" ? "export" : undefined };'],
    ["that is nowhere set", 'export default { ...(process.env.STATIC && { output: "export" }) };'],
    ["that a tool may set", 'export default { output: process.env.CI ? "export" : undefined };'],
    ["of itself", "const a = a ? 1 : 2; export default { output: a ? 'export' : undefined };"],
  ])("%s does not hold, or nobody knows, so that a server is made", (_, config) => {
    expect(text(next(config))).not.toContain(EXPORTED);
  });

  it("is decided by what the build script sets", () => {
    const config = 'export default { output: process.env.MODE === "static" ? "export" : undefined };';
    expect(text(next(config, "MODE=static next build"))).toContain(EXPORTED);
    expect(text(next(config, "MODE=server next build"))).not.toContain(EXPORTED);
  });

  it("is left open where the user or a file may set the variable", () => {
    const config = 'export default { output: process.env.NEXT_PUBLIC_API ? undefined : "export" };';
    expect(text(next(config, "next build"))).not.toContain(EXPORTED);
    const own = 'export default { output: process.env.SERVER ? undefined : "export" };';
    expect(text(next(own))).toContain(EXPORTED);
    expect(text(next(own, "next build", { ".env": "SERVER=1\n" }))).not.toContain(EXPORTED);
    expect(text(next(own), { buildEnvKeys: [] })).toContain(EXPORTED);
  });
});

it("an output of Astro on a condition is decided alike", () => {
  const config = 'export default { output: process.env.NODE_ENV === "production" ? "server" : "static" };';
  expect(text({ ...ASTRO, "astro.config.mjs": config })).toContain('CMD ["node","./dist/server/entry.mjs"]');
});

describe("a folder that the build script names", () => {
  const vite = (build: string): Files => ({ ...VITE, ...pkg({ dev: ["vite"], scripts: { build } }), ...LOCK });

  it.each([
    ["vite build --outDir web", "web"],
    ["tsc -b && vite build --emptyOutDir --outDir=./out/web", "out/web"],
    ["NODE_ENV=production vite build --outDir 'public_html' && echo done", "public_html"],
    ["other --outDir no && vite build", "dist"],
  ])("by %j is the one that is served", (build, folder) => {
    expect(text(vite(build))).toContain(`COPY --from=build /app/${folder} /srv`);
  });

  it("wins over the configuration's, and gives way to a build of the user's", () => {
    const files = {
      ...vite("vite build --outDir web"),
      "vite.config.js": 'export default { build: { outDir: "other" } };',
    };
    expect(text(files)).toContain("/app/web /srv");
    expect(text(files, { build: "vite build" })).toContain("/app/other /srv");
  });

  it("is Astro's too", () => {
    const scripts = { build: "astro build --outDir site" };
    expect(text({ ...ASTRO, ...pkg({ on: ["astro"], scripts }), ...LOCK })).toContain("/app/site /srv");
  });
});
