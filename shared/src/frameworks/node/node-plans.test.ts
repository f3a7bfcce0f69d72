import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStartCommand } from "../../spec/start-command.ts";
import { planOf } from "../testing.ts";
import {
  INPUT,
  plan,
  text,
  pkg,
  LOCK,
  NEXT_APP,
  ROUTER,
  NUXT,
  ASTRO,
  VITE,
  EXPRESS,
  FASTIFY,
  lastStage,
  type Files,
} from "../sample-repositories.ts";

describe("Next.js", () => {
  it("runs as the server that its build makes", () => {
    const dockerfile = text(NEXT_APP);
    expect(dockerfile).toContain("NEXT_PRIVATE_STANDALONE=true");
    expect(dockerfile).toMatch(/RUN --mount=type=cache,id=\S+-next,target=\/app\/\.next\/cache npm run build/);
    expect(lastStage(dockerfile)).toMatch(/HOSTNAME=0\.0\.0\.0[^]*CMD \["node","server\.js"\]/);
  });

  it("runs as it says where it has a server of its own, or the user gives a start", () => {
    const own = { ...NEXT_APP, ...pkg({ on: ["next"], scripts: { build: "next build", start: "node server.js" } }) };
    for (const dockerfile of [text(own), text(NEXT_APP, { start: parseStartCommand("node server.js") })]) {
      expect(dockerfile).not.toContain("STANDALONE");
      expect(lastStage(dockerfile)).toMatch(
        /COPY --from=production \/app\/node_modules[^]*CMD \["node","server\.js"\]/,
      );
    }
  });

  it.each(["next dev", "NODE_ENV=production next start", "next start -p 4000"])(
    "is served by that server too where the start script is %j",
    (start) => {
      const files = { ...NEXT_APP, ...pkg({ on: ["next"], scripts: { build: "next build", start } }) };
      expect(text(files)).toContain('CMD ["node","server.js"]');
    },
  );

  it("is served as files when it is exported", () => {
    const files = { ...NEXT_APP, "next.config.ts": 'export default { output: "export" }' };
    expect(lastStage(text(files))).toMatch(/^caddy:2[^]*COPY --from=build \/app\/out \/srv/);
  });

  it("is built without a build script too", () => {
    expect(text({ ...pkg({ on: ["next"] }), ...LOCK, "app/page.tsx": "" })).toMatch(/RUN .* next build$/m);
  });
});

describe("Next.js, by its configuration", () => {
  const STARTER = `/** @type {import("next").NextConfig} */
const nextConfig = {
  reactStrictMode: true,
  // output: "export",
  /* output: 'export', distDir: "build", */
  // Uncomment for a static site: distDir: "www",
  images: { loader: "custom", output: "export" },
};

export default nextConfig;
`;

  it("is a server when its export is a comment", () => {
    for (const name of ["next.config.mjs", "next.config.js", "next.config.ts"]) {
      const dockerfile = text({ ...NEXT_APP, [name]: STARTER });
      expect(dockerfile).toContain("NEXT_PRIVATE_STANDALONE=true");
      expect(lastStage(dockerfile)).toContain('CMD ["node","server.js"]');
    }
  });

  it("is a server when its configuration cannot be parsed, or Next.js does not read it", () => {
    const exported = 'module.exports = { output: "export" }';
    const unread: Files[] = [{ "next.config.js": `${exported} }` }, { "next.config.cjs": exported }];
    for (const config of unread) {
      expect(text({ ...NEXT_APP, ...config })).toContain("NEXT_PRIVATE_STANDALONE=true");
    }
  });

  it("is served as files of the folder that the configuration names, through plugins", () => {
    const config = `import createMDX from "@next/mdx";
const withMDX = createMDX({ extension: /mdx?$/ });
const nextConfig: NextConfig = { output: "export", distDir: "./site" };
export default withBundleAnalyzer({ enabled: false })(withMDX(nextConfig));`;
    expect(lastStage(text({ ...NEXT_APP, "next.config.ts": config }))).toContain("COPY --from=build /app/site /srv");
  });

  it("is started by `next start` when its folder is its own", () => {
    for (const distDir of ['"build"', "process.env.DIST"]) {
      const files = { ...NEXT_APP, "next.config.mjs": `export default { distDir: ${distDir} };` };
      expect(text(files)).toContain('CMD ["next","start"]');
    }
  });
});

describe("Remix", () => {
  it("starts as its script says, without a package manager", () => {
    expect(text(ROUTER)).toContain('CMD ["react-router-serve","./build/server/index.js"]');
  });

  it("of version 2 is started by its own server", () => {
    const two = { ...pkg({ on: ["@remix-run/serve"], dev: ["@remix-run/dev", "vite"] }), ...LOCK };
    expect(text(two)).toMatch(/RUN remix build[^]*CMD \["remix-serve","\.\/build\/index\.js"\]/);
    expect(text({ ...two, "vite.config.ts": "" })).toMatch(
      /RUN remix vite:build[^]*CMD \["remix-serve","\.\/build\/server\/index\.js"\]/,
    );
  });

  it("is served as files, every path by its page, when nothing is rendered on a server", () => {
    const files = { ...ROUTER, "react-router.config.ts": "export default {\n  ssr: false,\n};" };
    expect(lastStage(text(files))).toMatch(/file .* \/index\.html[^]*COPY --from=build \/app\/build\/client \/srv/);
    const comment = { ...ROUTER, "react-router.config.ts": "export default {\n  // ssr: false,\n  ssr: true,\n};" };
    expect(text(comment)).toContain("react-router-serve");
    const other = { ...ROUTER, "vite.config.ts": "export default { plugins: [reactRouter()], ssr: false };" };
    expect(text(other)).toContain("react-router-serve");
  });

  it("of version 2 is served as files when its plugin says so", () => {
    const two = { ...pkg({ on: ["@remix-run/serve"], dev: ["@remix-run/dev", "vite"] }), ...LOCK };
    const config = (options: string) => `import { vitePlugin as remix } from "@remix-run/dev";
      export default defineConfig({ plugins: [remix(${options}), tsconfigPaths()] });`;
    expect(text({ ...two, "vite.config.ts": config("{ ssr: false }") })).toContain("/app/build/client /srv");
    expect(text({ ...two, "vite.config.ts": config("{ /* ssr: false */ }") })).toContain("remix-serve");
  });
});

describe("Nuxt", () => {
  it("runs its own output, and installs before it sees the sources", () => {
    const dockerfile = text(NUXT);
    expect(dockerfile.indexOf("npm ci")).toBeLessThan(dockerfile.indexOf("COPY . ."));
    expect(lastStage(dockerfile)).toMatch(
      /COPY --from=build --chown=node:node \/app\/\.output[^]*"\.output\/server\/index\.mjs"/,
    );
  });

  it("is served as files when it is generated", () => {
    const files = { ...NUXT, ...pkg({ on: ["nuxt"], scripts: { build: "nuxt generate" } }) };
    expect(lastStage(text(files))).toContain("COPY --from=build /app/.output/public /srv");
    expect(lastStage(text(NUXT, { build: "nuxt generate" }))).toContain("/app/.output/public");
  });
});

describe("Astro", () => {
  const node = (more: string) => `import node from "@astrojs/node"; export default { ${more} adapter: node() }`;

  it("is files without a server, in the folder that it is told", () => {
    expect(lastStage(text(ASTRO))).toMatch(/^caddy:2[^]*COPY --from=build \/app\/dist \/srv/);
    const told = { ...ASTRO, "astro.config.mjs": 'export default { outDir: "./www" }' };
    expect(lastStage(text(told))).toContain("/app/www /srv");
    expect(lastStage(text({ ...ASTRO, "astro.config.mjs": node("") }))).toMatch(/^caddy:2/);
  });

  it("is a server where it is told so, or a page asks for it", () => {
    const server = 'CMD ["node","./dist/server/entry.mjs"]';
    expect(text({ ...ASTRO, "astro.config.ts": node('output: "server",') })).toContain(server);
    const older = pkg({ on: ["astro"], scripts: { build: "astro build", start: "astro dev" } });
    expect(text({ ...ASTRO, ...older, "astro.config.ts": node('output: "server",') })).toContain(server);
    const pages: Files[] = [
      { "src/pages/api/time.ts": "export const prerender = false;" },
      { "src/pages/time.astro": "---\nimport A from '../A.astro';\nexport const prerender = false;\n---\n<A />" },
      { "src/pages/time.mdx": "export const prerender = false\n\n# Time" },
      { "src/pages/broken.ts": "export const prerender = false; }" },
    ];
    for (const page of pages) {
      expect(text({ ...ASTRO, ...page, "astro.config.mjs": node("") })).toContain(server);
    }
  });

  it("is files when the server is in comments alone", () => {
    const page = {
      "src/pages/api/time.ts": "// export const prerender = false;\nexport const prerender = true;",
      "src/pages/time.astro": "---\n// export const prerender = false\n---\n<p>export const prerender = false;</p>",
    };
    const site = "COPY --from=build /app/dist /srv";
    expect(text({ ...ASTRO, ...page, "astro.config.mjs": node('// output: "server",\n') })).toContain(site);
    const commented = 'export default {\n  // output: "server",\n  // adapter: node(),\n};';
    const rendered = { "src/pages/api/time.ts": "export const prerender = false;" };
    expect(text({ ...ASTRO, ...rendered, "astro.config.mjs": commented })).toContain(site);
  });

  it("is not refused for the adapter of another host that is not used", () => {
    const config = `// import vercel from "@astrojs/vercel";\n${node('output: "server",')}`;
    expect(text({ ...ASTRO, "astro.config.mjs": config })).toContain("./dist/server/entry.mjs");
  });

  it("is served from the folder that the build made when its configuration computes it", () => {
    const dockerfile = text({ ...ASTRO, "astro.config.mjs": "export default { outDir: process.env.OUT };" });
    expect(dockerfile).toMatch(/RUN for folder in dist dist\/\* build [^]*COPY --from=build \/site \/srv/);
  });
});

describe("Vite", () => {
  it("is served as files, every path by its page", () => {
    const stage = lastStage(text(VITE));
    expect(stage).toMatch(/file \{path\} .* \/index\.html[^]*COPY --from=build \/app\/dist \/srv/);
    expect(stage).toContain("immutable");
    const config = 'export default { root: "web", build: { outDir: "site" } }';
    const nested = { ...pkg({ dev: ["vite"] }), "vite.config.js": config, "web/index.html": "" };
    expect(lastStage(text(nested))).toContain("/app/web/site /srv");
  });

  it.each<[string, string, string]>([
    ["comments", 'export default defineConfig({\n  // build: { outDir: "build" },\n  /* outDir: "x" */\n});', "dist"],
    ["a test's coverage", 'export default defineConfig({ test: { coverage: { outDir: "coverage" } } });', "dist"],
    ["a setting that Vite ignores", 'export default defineConfig({ outDir: "build" });', "dist"],
    ["a file that can't be parsed", 'export default { build: { outDir: "build" }', "dist"],
    ["its own folder", 'export default defineConfig(({ mode }) => ({ build: { outDir: "./build/" } }));', "build"],
    [
      "both",
      'export default defineConfig({ test: { coverage: { outDir: "coverage" } }, build: { outDir: "build" } });',
      "build",
    ],
  ])("is taken from the right folder with %s in its configuration", (_what, config, folder) => {
    expect(text({ ...VITE, "vite.config.ts": config })).toContain(`COPY --from=build /app/${folder} /srv`);
  });

  it("is taken from beside its root when it is built there", () => {
    const config = 'export default { root: "web", build: { outDir: "../dist/public" } }';
    const nested = { ...pkg({ dev: ["vite"] }), "vite.config.js": config, "web/index.html": "" };
    expect(text(nested)).toContain("COPY --from=build /app/dist/public /srv");
  });

  it.each([
    ['path.resolve(import.meta.dirname, "site")', "/app/site"],
    ['path.join(__dirname, "..", "..", "app", "site")', "/app/site"],
    ['resolve("site", "web")', "/app/site/web"],
    ['fileURLToPath(new URL("./site", import.meta.url))', "/app/site"],
    ["path.resolve(base, kind)", "/app/dist/public"],
  ])("is taken from the folder that outDir computes of plain strings: %s", (outDir, folder) => {
    const config = `const base = path.resolve(__dirname, "dist"), kind = "public";
      export default { root: path.resolve(__dirname, "web"), build: { outDir: ${outDir} } };`;
    const nested = { ...pkg({ dev: ["vite"] }), "vite.config.ts": config, "web/index.html": "" };
    expect(text(nested)).toContain(`COPY --from=build ${folder} /srv`);
  });

  it.each(['process.env.OUT ?? "dist"', "resolve(here, name)", '"../outside"', '"/srv/www"', '"a b; rm"'])(
    "is taken from the folder that the build made when outDir is %s",
    (outDir) => {
      const { text: dockerfile, notes } = planOf({
        ...VITE,
        "vite.config.ts": `export default { build: { outDir: ${outDir} } }`,
      });
      expect(dockerfile).toMatch(/RUN for folder in dist dist\/\* build [^]*exit 1[^]*COPY --from=build \/site \/srv/);
      expect(notes.join()).toMatch(/first of the folders dist, dist\/\*, build/);
      expect(dockerfile).not.toMatch(/outside|www"|rm;/);
    },
  );
});

describe("a start script for development", () => {
  it("gives way to the one for production beside it", () => {
    const scripts = { build: "nest build", start: "nest start", "start:prod": "node dist/main" };
    const files = { ...pkg({ on: ["@nestjs/core"], dev: ["@nestjs/cli"], scripts }), ...LOCK };
    expect(text(files)).toMatch(/npm prune --omit=dev[^]*CMD \["node","dist\/main"\]/);
  });
});

describe("what the user gives", () => {
  it.each([NEXT_APP, ROUTER, NUXT, ASTRO, VITE, EXPRESS, FASTIFY])("wins: build and start (%#)", (files) => {
    const start = parseStartCommand("NODE_ENV=x node own.js");
    const dockerfile = text(files, { build: 'make "it"\nUSER root', start });
    expect(dockerfile).toMatch(/^RUN (?:--mount\S+ )?\["\/bin\/sh","-c","make \\"it\\"\\nUSER root"\]$/m);
    expect(dockerfile).not.toMatch(/^USER root/m);
    expect(dockerfile).not.toContain("npm run build");
    expect(dockerfile).toMatch(/npm ci/);
    expect(dockerfile).toMatch(/^CMD \["\/bin\/sh","-c","NODE_ENV=x exec node own\.js"\]$/m);
    expect(lastStage(dockerfile)).toMatch(/^node:22-slim/);
  });

  it("makes a static site where there is a build", () => {
    const dockerfile = text({ "index.html": "", "make.sh": "" }, { build: "sh make.sh" });
    expect(dockerfile).toMatch(
      /RUN \["\/bin\/sh","-c","sh make\.sh"\][^]*FROM caddy:2[^]*COPY --from=build \/site \/srv/,
    );
    const script = { ...pkg({ dev: ["sass"], scripts: { build: "sass a b" } }), ...LOCK, "index.html": "" };
    expect(text(script)).toMatch(/npm run build\nRUN for folder in dist [^]*COPY --from=build \/site \/srv/);
    expect(text({ "index.html": "" }, { start: parseStartCommand("caddy run") })).toContain('CMD ["caddy","run"]');
  });
});

describe("the dependencies", () => {
  it("of production alone are in the image", () => {
    expect(text(EXPRESS)).toMatch(/npm ci .*--omit=dev/);
    const built = { ...EXPRESS, ...pkg({ on: ["express"], scripts: { build: "tsc", start: "node dist" } }) };
    expect(text(built)).toMatch(/FROM dependencies AS production[^]*npm prune --omit=dev[^]*COPY --from=production/);
  });

  it("of development stay where the app is started by one of them", () => {
    const files = { ...pkg({ on: ["hono"], dev: ["tsx"], scripts: { start: "tsx src/index.ts" } }), ...LOCK };
    expect(text(files)).not.toContain("--omit=dev");
    expect(plan(files).notes.join()).toMatch(/needs `tsx`, which is in devDependencies/);
  });

  it("that a build writes into stay as it left them", () => {
    const scripts = { build: "prisma generate && tsc", start: "node dist" };
    const files = { ...pkg({ on: ["express", "@prisma/client"], dev: ["prisma"], scripts }), ...LOCK };
    expect(text(files)).toMatch(/npm run build\nRUN .*npm prune[^]*COPY --from=build \/app \.\//);
  });

  it.each(["file:./a", "link:../a", "workspace:*"])("inside the repository (%s) are installed from it", (version) => {
    const files = {
      ...LOCK,
      "package.json": JSON.stringify({ dependencies: { a: version }, scripts: { start: "x" } }),
    };
    expect(text(files)).toMatch(/COPY \. \.\nRUN .*npm ci/);
  });

  it("bring Bun along where it runs the app", () => {
    const files = { ...pkg({ on: ["hono"], scripts: { start: "bun run src/index.ts" } }), "bun.lock": "{}" };
    expect(lastStage(text(files))).toMatch(/COPY --from=tools .*bun\.exe \/usr\/local\/bin\/bun/);
  });
});

describe("the Node version", () => {
  it.each([
    [">=18", 22],
    ["20.x", 20],
    ["^20 || ^18", 20],
    [">=24", 24],
    [">= 20 < 22", 20],
    ["24.1.0", 24],
    ["lts/*", 22],
  ])("for engines %s is %d", (node, major) => {
    const files = { ...pkg({ on: ["express"], engines: { node }, scripts: { start: "node a.js" } }), ...LOCK };
    expect(text(files).match(/^FROM node:\S+/gm)).toEqual([`FROM node:${major}-slim`, `FROM node:${major}-slim`]);
  });
});

describe("a plan", () => {
  const trees = [NEXT_APP, ROUTER, NUXT, ASTRO, VITE, EXPRESS, FASTIFY, { "index.html": "" }];

  it("shows the build's variables to the build alone, and knows of no others", () => {
    const key = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/);
    fc.assert(
      fc.property(fc.constantFrom(...trees), fc.uniqueArray(key, { maxLength: 5 }), (files, names) => {
        const keys = names.map((name) => `PUBLIC_${name}`);
        const stages = text(files, { buildEnvKeys: keys }).split(/^FROM /m);
        for (const stage of stages) {
          if (!stage.startsWith("dependencies AS build")) expect(stage).not.toContain("PUBLIC_");
        }
        const declared = [...stages.join("").matchAll(/^ARG (\S+)/gm)].map(([, name]) => name!);
        for (const name of declared) expect(["NPM_CONFIG_REGISTRY", ...keys]).toContain(name);
      }),
    );
  });

  it("uses only what the oldest engine's builder knows, and caches of its own app", () => {
    for (const files of trees) {
      const dockerfile = text(files);
      expect(dockerfile).not.toMatch(/<<|--link|# ?syntax/);
      for (const mount of dockerfile.match(/--mount=\S+/g) ?? []) expect(mount).toContain(`id=${INPUT.appId}-`);
      const last = lastStage(dockerfile);
      expect(last).toMatch(/^USER (?:node|1000:1000)$/m);
      expect(last).toMatch(/^CMD \[".*"\]$/m);
      expect(last).not.toContain("ARG");
    }
  });
});
