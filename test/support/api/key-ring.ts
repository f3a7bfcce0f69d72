import { randomBytes } from "node:crypto";
import { createKeyRing } from "@svc/control-plane/secrets/keyring.ts";

/** The key ring of everything in one test's process, so that an API and a worker can share a database. */
export const testKeyRing = createKeyRing([randomBytes(32)]);
