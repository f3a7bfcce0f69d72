# The default template of React Router: remix-run/react-router-templates, default; https://reactrouter.com/start/framework/deploying
FROM node:22-slim AS development-dependencies
ARG NPM_CONFIG_REGISTRY
COPY . /app
WORKDIR /app
RUN npm ci

FROM node:22-slim AS production-dependencies
ARG NPM_CONFIG_REGISTRY
COPY package.json package-lock.json /app/
WORKDIR /app
RUN npm ci --omit=dev

FROM node:22-slim AS build
COPY . /app/
COPY --from=development-dependencies /app/node_modules /app/node_modules
WORKDIR /app
RUN npm run build

FROM node:22-slim
COPY package.json package-lock.json /app/
COPY --from=production-dependencies /app/node_modules /app/node_modules
COPY --from=build /app/build /app/build
WORKDIR /app
EXPOSE 3000
CMD ["npm", "run", "start"]
