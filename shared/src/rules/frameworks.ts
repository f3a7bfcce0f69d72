/** The fifteen of the specification, then our two: any Node app, and a repository's own Dockerfile (decisions, Pipeline). */
export const FRAMEWORK_NAMES = [
  "nextjs",
  "remix",
  "nuxt",
  "astro",
  "vite",
  "express",
  "hono",
  "fastify",
  "fastapi",
  "django",
  "flask",
  "go",
  "rust",
  "rails",
  "static",
  "node",
  "dockerfile",
] as const;

export type FrameworkName = (typeof FRAMEWORK_NAMES)[number];
