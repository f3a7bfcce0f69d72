# https://hono.dev/docs/getting-started/nodejs, "Dockerfile".
FROM node:22-slim AS base

FROM base AS builder
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package*json tsconfig.json src ./
RUN npm ci && npm run build && npm prune --omit=dev

FROM base AS runner
WORKDIR /app
RUN groupadd --system --gid 1001 nodejs && useradd --system --uid 1001 --gid nodejs hono
COPY --from=builder --chown=hono:nodejs /app/node_modules /app/node_modules
COPY --from=builder --chown=hono:nodejs /app/dist /app/dist
COPY --from=builder --chown=hono:nodejs /app/package.json /app/package.json
USER hono
EXPOSE 3000
CMD ["node", "/app/dist/index.js"]
