import { frameworkDeploys } from "../support/framework-deploys.ts";

const { describeFramework } = frameworkDeploys();

describeFramework({
  fixture: "express",
  change: { file: "routes/users.js", from: "6 * 7", to: "6 * 8" },
  path: "/users",
  expected: "respond with a resource 42",
  expectedAfter: "respond with a resource 48",
});

describeFramework({
  fixture: "fastify",
  change: { file: "routes/root.js", from: "6 * 7", to: "6 * 8" },
  path: "/",
  expected: '"greeting":"fastify 42"',
  expectedAfter: '"greeting":"fastify 48"',
});

describeFramework({
  fixture: "hono",
  change: { file: "src/index.ts", from: "6 * 7", to: "6 * 8" },
  path: "/",
  expected: "Hello Hono 42!",
  expectedAfter: "Hello Hono 48!",
});

describeFramework({
  fixture: "static",
  change: { file: "index.html", from: "First edition", to: "Second edition" },
  path: "/",
  expected: "First edition",
  expectedAfter: "Second edition",
});

describeFramework({
  fixture: "vite",
  change: { file: "index.html", from: "built for", to: "made for" },
  path: "/some/page",
  expected: 'content="built for production"',
  expectedAfter: 'content="made for production"',
});

describeFramework({
  fixture: "astro",
  change: { file: "src/pages/index.astro", from: "6 * 7", to: "6 * 8" },
  path: "/",
  expected: "Astro says 42",
  expectedAfter: "Astro says 48",
});

describeFramework({
  fixture: "astro-server",
  framework: "astro",
  change: { file: "src/pages/index.astro", from: "n * 7", to: "n * 8" },
  path: "/?n=6",
  expected: "Astro says 42",
  expectedAfter: "Astro says 48",
});

describeFramework({
  fixture: "remix",
  change: { file: "app/routes/home.tsx", from: "n * 7", to: "n * 8" },
  path: "/?n=6",
  expected: "The loader says 42.",
  expectedAfter: "The loader says 48.",
});

describeFramework({
  fixture: "nuxt",
  change: { file: "app/app.vue", from: "40 + 2", to: "40 + 8" },
  path: "/",
  expected: "The sum is 42, and the server says nuxt.",
  expectedAfter: "The sum is 48, and the server says nuxt.",
});

describeFramework({
  fixture: "nextjs",
  change: { file: "app/api/sum/route.ts", from: 'const word = "next"', to: 'const word = "changed"' },
  path: "/api/sum?n=40&n=2",
  expected: '{"word":"NEXT","sum":42}',
  expectedAfter: '{"word":"CHANGED","sum":42}',
});
