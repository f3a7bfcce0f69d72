import { z } from "@hono/zod-openapi";

/** A time in an answer. */
export const time = () => z.string().openapi({ format: "date-time", description: "ISO 8601, UTC" });
