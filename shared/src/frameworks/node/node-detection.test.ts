import { describe, expect, it } from "vitest";
import {
  plan,
  refusal,
  pkg,
  LOCK,
  NEXT,
  NEXT_APP,
  ROUTER,
  NUXT,
  ASTRO,
  VITE,
  EXPRESS,
  FASTIFY,
  type Files,
} from "../sample-repositories.ts";

describe("detection", () => {
  it.each<[string, Files]>([
    ["nextjs", NEXT_APP],
    ["nextjs", { ...NEXT, "src/app/page.tsx": "" }],
    ["nextjs", { ...NEXT, "pages/index.js": "" }],
    ["nextjs", { ...NEXT, "next.config.mjs": "" }],
    ["nextjs", { ...pkg({ on: ["next", "express"], scripts: { start: "node server.js" } }), "pages/index.js": "" }],
    ["nextjs", { ...pkg({ on: ["next", "hono"] }), "app/api/[[...route]]/route.ts": "" }],
    ["nextjs", { ...pkg({ on: ["next"], dev: ["vite", "vitest"] }), "app/page.tsx": "" }],
    ["remix", ROUTER],
    ["remix", { ...pkg({ on: ["@remix-run/node", "express"], dev: ["@remix-run/dev", "vite"] }), "server.js": "" }],
    ["nuxt", NUXT],
    ["nuxt", { ...pkg({ dev: ["nuxt"] }), "nuxt.config.ts": "" }],
    ["nuxt", { ...pkg({ on: ["nuxt"], dev: ["vite"] }), "index.html": "" }],
    ["astro", ASTRO],
    ["astro", { ...pkg({ on: ["astro", "react", "hono"], dev: ["vite"] }) }],
    ["astro", { ...pkg({ dev: ["astro"] }), "astro.config.mjs": "" }],
    ["vite", VITE],
    ["vite", { ...pkg({ dev: ["vite"], scripts: { start: "vite" } }), "index.html": "" }],
    ["vite", { ...pkg({ on: ["react-router"], dev: ["vite"] }), "index.html": "" }],
    ["vite", { ...pkg({ on: ["express"], dev: ["vite"], scripts: { start: "vite preview" } }), "index.html": "" }],
    ["vite", { ...pkg({ dev: ["vite"] }), "vite.config.ts": 'export default { root: "web" }', "web/index.html": "" }],
    ["express", EXPRESS],
    ["express", { ...pkg({ on: ["express"], dev: ["vite"], scripts: { start: "node s.js" } }), "index.html": "" }],
    ["express", { ...pkg({ on: ["express"] }), "server.js": "" }],
    ["express", { ...pkg({ on: ["express"], dev: ["typescript", "tsx"], scripts: { start: "node dist/index.js" } }) }],
    ["hono", { ...pkg({ on: ["hono", "@hono/node-server"], scripts: { start: "node dist/index.js" } }) }],
    ["hono", { ...pkg({ on: ["hono"], dev: ["vite"], scripts: { start: "node dist/index.js" } }) }],
    ["fastify", FASTIFY],
    ["fastify", { ...pkg({ on: ["fastify"], scripts: { start: "node src/server.js" } }) }],
    ["node", { ...pkg({ on: ["koa"], scripts: { start: "node index.js" } }) }],
    ["node", { ...pkg({ on: ["@nestjs/core"], scripts: { start: "nest start" } }) }],
    ["node", { ...pkg({ dev: ["next"], scripts: { start: "node index.js" } }) }],
    ["node", { ...pkg({ dev: ["@sveltejs/kit", "vite"], scripts: { start: "node build" } }), "index.html": "" }],
    ["static", { "index.html": "", "css/a.css": "" }],
    ["static", { ...pkg({ dev: ["prettier"] }), "index.html": "" }],
    ["dockerfile", { Dockerfile: "FROM a", ...NEXT_APP }],
  ])("says %s, and why", (framework, files) => {
    const { framework: found, reason } = plan({ ...files, ...LOCK });
    expect(found).toBe(framework);
    expect(reason).not.toBe("");
  });

  it.each<[string, Files]>([
    ["express", { "index.js": "const express = require('express')" }],
    ["hono", { "index.js": 'import { Hono } from "hono"' }],
    ["hono", { "index.js": 'import app from "./app.js"', "app.js": 'import { Hono } from "hono/tiny"' }],
  ])("goes by what is started where two servers are listed: %s", (framework, files) => {
    const both = pkg({ on: ["express", "hono"], scripts: { start: "node index.js" } });
    expect(plan({ ...both, ...files }).framework).toBe(framework);
    const compiled = pkg({ on: ["express", "hono"], scripts: { start: "npm run prod", prod: "node dist/index.js" } });
    const sources = Object.fromEntries(
      Object.entries(files).map(([path, content]) => [`src/${path.replace(".js", ".ts")}`, content]),
    );
    expect(plan({ ...compiled, ...sources }).framework).toBe(framework);
  });

  it("refuses two servers that nothing tells apart, and says what was looked at", () => {
    const both = pkg({ on: ["express", "fastify"], scripts: { start: "node index.js" } });
    expect(refusal(both)).toMatch(/express and fastify.*no file that the start script.*`framework`/);
    const files = { ...both, "index.js": 'require("express"); require("fastify")' };
    expect(refusal(files)).toMatch(/looked at: index\.js/);
    expect(plan(files, {}, "fastify").framework).toBe("fastify");
  });

  it("names the apps of a monorepo that has none at its root", () => {
    const root = pkg({
      dev: ["turbo"],
      workspaces: ["apps/*"],
      scripts: { start: "turbo start", build: "turbo build" },
    });
    const inFolder = (folder: string, files: Files): Files =>
      Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
    const files = {
      ...root,
      ...inFolder("apps/web", NEXT_APP),
      ...inFolder("apps/api", EXPRESS),
      ...inFolder("packages/ui", pkg({ on: ["react"] })),
      ...inFolder("docs", { "index.html": "" }),
    };
    expect(refusal(files)).toMatch(
      /No app was found at the repository's root.*apps\/api \(express\), apps\/web \(nextjs\)\. .*`root`, such as apps\/api/,
    );
    expect(refusal({ "README.md": "", ...inFolder("frontend", VITE) })).toMatch(/frontend \(vite\)/);
  });

  it.each(["react-scripts start", "ng serve --open", "BROWSER=none vue-cli-service serve", "vite --host"])(
    "refuses to run %j for the public, and says how its result is served",
    (start) => {
      const files = pkg({ on: ["react"], dev: ["typescript"], scripts: { start, build: "x" } });
      expect(refusal(files)).toMatch(/server for development.*`framework` static/);
      expect(plan(files, {}, "static").notes.join()).toMatch(/index\.html after the build/);
    },
  );

  it("refuses an Astro adapter of another host", () => {
    const config = (output: string) => `import v from "@astrojs/vercel"; export default { ${output} adapter: v() }`;
    expect(refusal({ ...ASTRO, "astro.config.mjs": config('output: "server",') })).toMatch(/vercel.*Node adapter/);
    expect(refusal({ ...ASTRO, "astro.config.mjs": config("") })).toMatch(/needs no server/);
  });
});
