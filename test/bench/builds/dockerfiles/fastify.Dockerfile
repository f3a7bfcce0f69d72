# https://fastify.dev/docs/latest/Guides/Serverless/, "Google Cloud Run".
FROM node:22-slim
ARG NPM_CONFIG_REGISTRY
WORKDIR /usr/src/app
COPY package*.json ./
RUN npm i --omit=dev
COPY . .
# What fastify-cli listens on: all interfaces, as the guide's own program does.
ENV FASTIFY_ADDRESS=0.0.0.0 PORT=3000
EXPOSE 3000
CMD ["npm", "start"]
