# https://docs.docker.com/guides/nodejs/containerize/, as `docker init` writes it.
FROM node:22-slim
ARG NPM_CONFIG_REGISTRY
ENV NODE_ENV=production
WORKDIR /usr/src/app
RUN --mount=type=bind,source=package.json,target=package.json \
    --mount=type=bind,source=package-lock.json,target=package-lock.json \
    --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev
USER node
COPY . .
EXPOSE 3000
CMD ["npm", "start"]
