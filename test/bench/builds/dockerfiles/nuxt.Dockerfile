# https://nuxt.com/docs/getting-started/deployment: `nuxt build`, then node .output/server/index.mjs; Nuxt has no Dockerfile
# of its own.
FROM node:22-slim AS build
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:22-slim
WORKDIR /app
COPY --from=build /app/.output ./.output
ENV HOST=0.0.0.0 PORT=3000 NODE_ENV=production
EXPOSE 3000
CMD ["node", ".output/server/index.mjs"]
