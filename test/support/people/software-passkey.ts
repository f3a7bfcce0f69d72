import { generateKeyPairSync, hash, randomBytes, sign, type KeyObject } from "node:crypto";
import { encode } from "cborg";
import type { Reply } from "../api/http.ts";

/** What the service asks an authenticator for, as far as one reads it. */
interface Asked {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  user?: { id: string };
}

/** How an answer differs from an honest one. */
export interface Lies {
  challenge?: string;
  origin?: string;
  rpId?: string;
  type?: string;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string;
  /** Another passkey's id. */
  id?: Buffer;
  /** An attestation. */
  format?: { fmt: string; attStmt: object };
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** An authenticator with one passkey, and the browser at {base_url} between it and the service (Web Authentication, ES256). */
export class SoftwarePasskey {
  readonly id = randomBytes(16);
  /** Of its last signature. */
  counter = 0;
  readonly #origin: string;
  readonly #key: { publicKey: KeyObject; privateKey: KeyObject };
  /** Until it was made for somebody, that of nobody. */
  #userHandle = randomBytes(16).toString("base64url");

  constructor(baseUrl: string) {
    this.#origin = new URL(baseUrl).origin;
    this.#key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  }

  /** Answers `navigator.credentials.create`. */
  make(asked: Asked, lies: Lies = {}) {
    if (asked.user) this.#userHandle = asked.user.id;
    const id = lies.id ?? this.id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, this.#coseKey()]);
    const authData = this.#authenticatorData(asked, HAS_CREDENTIAL, lies, credential);
    const { fmt = "none", attStmt = {} } = lies.format ?? {};
    return {
      ...named(id),
      authenticatorAttachment: "platform",
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData("webauthn.create", asked, lies).toString("base64url"),
        attestationObject: Buffer.from(encode({ fmt, attStmt, authData })).toString("base64url"),
        transports: ["internal", "hybrid"],
      },
    };
  }

  /** Answers `navigator.credentials.get`. */
  sign(asked: Asked, lies: Lies = {}) {
    this.counter = lies.counter ?? this.counter + 1;
    const clientData = this.#clientData("webauthn.get", asked, lies);
    const authData = this.#authenticatorData(asked, 0, lies);
    const signed = Buffer.concat([authData, hash("sha256", clientData, "buffer")]);
    return {
      ...named(lies.id ?? this.id),
      authenticatorAttachment: "platform",
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: sign("sha256", signed, this.#key.privateKey).toString("base64url"),
        userHandle: lies.userHandle ?? this.#userHandle,
      },
    };
  }

  #clientData(type: string, asked: Asked, lies: Lies): Buffer {
    const { challenge = asked.challenge, origin = this.#origin } = lies;
    return Buffer.from(JSON.stringify({ type: lies.type ?? type, challenge, origin, crossOrigin: false }));
  }

  #authenticatorData(asked: Asked, flags: number, lies: Lies, credential = Buffer.alloc(0)): Buffer {
    const rpId = lies.rpId ?? asked.rpId ?? asked.rp?.id ?? "";
    const verified = (lies.isVerified ?? true) ? VERIFIED : 0;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.counter ?? this.counter);
    const rpIdHash = hash("sha256", rpId, "buffer");
    return Buffer.concat([rpIdHash, Buffer.from([PRESENT | verified | flags]), counter, credential]);
  }

  /** The public key as COSE has it (RFC 9053, 7.1.1). */
  #coseKey(): Uint8Array {
    const { x = "", y = "" } = this.#key.publicKey.export({ format: "jwk" });
    const [kty, alg, crv, xOf, yOf] = [1, 3, -1, -2, -3];
    const coordinate = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));
    const EC2 = 2;
    const ES256 = -7;
    const P256 = 1;
    return encode(
      new Map<number, number | Uint8Array>([
        [kty, EC2],
        [alg, ES256],
        [crv, P256],
        [xOf, coordinate(x)],
        [yOf, coordinate(y)],
      ]),
    );
  }
}

function named(id: Buffer) {
  const text = id.toString("base64url");
  return { id: text, rawId: text, type: "public-key" };
}

/** The ticket and the options of an answer that begins something. */
export function askedBy({ status, json, text }: Reply): { ticket: string; options: Asked } {
  if (status !== 200) throw new Error(`there was no challenge: ${text}`);
  return json as { ticket: string; options: Asked } & Record<string, unknown>;
}
