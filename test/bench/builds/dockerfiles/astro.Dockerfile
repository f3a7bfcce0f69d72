# https://docs.astro.build/en/recipes/docker/, "Static", with Caddy in place of NGINX.
FROM node:22-slim AS build
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package*.json ./
RUN npm install
COPY . .
RUN npm run build

FROM caddy:2
COPY --from=build /app/dist /srv
EXPOSE 8080
CMD ["caddy", "file-server", "--root", "/srv", "--listen", ":8080"]
