# https://docs.docker.com/guides/reactjs/containerize/, with Caddy in place of NGINX; https://vite.dev/guide/static-deploy
FROM node:22-slim AS builder
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run build

FROM caddy:2
RUN printf ':8080\nroot * /srv\nencode gzip\ntry_files {path} /index.html\nfile_server\n' > /etc/Caddyfile
COPY --from=builder /app/dist /srv
EXPOSE 8080
CMD ["caddy", "run", "--config", "/etc/Caddyfile", "--adapter", "caddyfile"]
