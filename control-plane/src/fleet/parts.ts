import type { AppsAddress } from "./app-url.ts";

declare module "../platform/operation.ts" {
  interface Platform extends AppsAddress {}
}
