import { randomBytes } from "node:crypto";
import type { Db } from "../platform/database/database.ts";
import { ensureFact, readFact } from "../platform/database/installation.store.ts";
import { domainProof, type DomainProof } from "./custom-domain.ts";

const PROOF_KEY = "domain-proof-key";

/** Reads the record that the user publishes to prove that the domain is theirs. */
export async function readProof(db: Db, userId: string, domain: string): Promise<DomainProof> {
  return domainProof(await proofKey(db), userId, domain);
}

/** Is made once for the installation; it stays when the master key is rotated, so that published values stay true. */
async function proofKey(db: Db): Promise<Buffer> {
  return (await readFact(db, PROOF_KEY)) ?? (await ensureFact(db, PROOF_KEY, randomBytes(32)));
}
