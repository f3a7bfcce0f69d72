import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";

export interface OpenSshKey {
  /** One line: `ssh-ed25519 <base64> <comment>`. */
  publicKey: string;
  /** openssh-key-v1, unencrypted. */
  privateKey: string;
  /** `SHA256:<base64 without padding>`, as `ssh-keygen -lf` prints it. */
  fingerprint: string;
}

/** The parts of a key. */
export interface KeyMaterial {
  /** 32 bytes. */
  publicKey: Buffer;
  /** 32 bytes. */
  seed: Buffer;
  /** 4 random bytes, twice in the private part: a reader sees that it decrypted rightly. */
  check: Buffer;
}

const TYPE = "ssh-ed25519";
const MAGIC = Buffer.from("openssh-key-v1\0");
/** The block size of the cipher `none`. */
const BLOCK_BYTES = 8;
/** The line length of ssh-keygen. */
const LINE_LENGTH = 70;

/** A fresh ed25519 key. node:crypto writes no OpenSSH format, and ssh2's generator makes a broken key now and then. */
export function makeOpenSshKey(comment: string, material: KeyMaterial = freshMaterial()): OpenSshKey {
  const { publicKey, seed, check } = material;
  const publicBlob = Buffer.concat([text(TYPE), text(publicKey)]);
  const secret = text(Buffer.concat([seed, publicKey]));
  const privateBlob = padded(Buffer.concat([check, check, publicBlob, secret, text(comment)]));
  const none = [text("none"), text("none"), text("")];
  const file = Buffer.concat([MAGIC, ...none, uint32(1), text(publicBlob), text(privateBlob)]);
  return {
    publicKey: `${TYPE} ${publicBlob.toString("base64")} ${comment}`,
    privateKey: armored(file),
    fingerprint: `SHA256:${createHash("sha256").update(publicBlob).digest("base64").replace(/=+$/, "")}`,
  };
}

function freshMaterial(): KeyMaterial {
  const { x, d } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  return {
    publicKey: Buffer.from(x ?? "", "base64url"),
    seed: Buffer.from(d ?? "", "base64url"),
    check: randomBytes(4),
  };
}

/** RFC 4251, 5: a string is its length and its bytes. */
function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Pads with 1, 2, 3, … up to the block size. */
function padded(bytes: Buffer): Buffer {
  const missing = -bytes.length & (BLOCK_BYTES - 1);
  return Buffer.concat([bytes, Buffer.from(Array.from({ length: missing }, (_, index) => index + 1))]);
}

function armored(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(new RegExp(`.{1,${LINE_LENGTH}}`, "g")) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join("\n");
}
