import { createHash } from "node:crypto";
import { once } from "node:events";
import { createDeflate, deflateSync } from "node:zlib";

/** Packs as an attacker makes them, by hand (gitformat-pack). */
const TYPES = { blob: 3, offsetDelta: 6 } as const;

/** A pack of one blob of that many zeros, and its id. */
export async function packOfZeros(bytes: number): Promise<{ pack: Buffer; id: string }> {
  const id = createHash("sha1").update(`blob ${bytes}\0`);
  const deflate = createDeflate({ level: 1 });
  const packed: Buffer[] = [];
  deflate.on("data", (chunk: Buffer) => packed.push(chunk));
  const zeros = Buffer.alloc(1024 ** 2);
  for (let left = bytes; left > 0; left -= zeros.length) {
    const chunk = zeros.subarray(0, Math.min(left, zeros.length));
    id.update(chunk);
    if (!deflate.write(chunk)) await once(deflate, "drain");
  }
  deflate.end();
  await once(deflate, "end");
  const object = Buffer.concat([objectHead(TYPES.blob, bytes), ...packed]);
  return { pack: packOf([object]), id: id.digest("hex") };
}

/** A blob of 16 MiB, and a delta of some kilobytes that makes so much of it. */
export function packOfGrowingDelta(bytes: number): Buffer {
  const base = Buffer.alloc(COPY_BYTES_MAX + 1, "a");
  const copied = Array.from({ length: Math.ceil(bytes / COPY_BYTES_MAX) }, () => copy(0, COPY_BYTES_MAX));
  const delta = [varint(base.length), varint(copied.length * COPY_BYTES_MAX), ...copied];
  const blob = objectOf(TYPES.blob, base);
  return packOf([blob, deltaOn(blob, Buffer.concat(delta))]);
}

/** A blob of that size and as many deltas, each on the one before, that change eight bytes. */
export function packOfDeltaChain(length: number, bytes: number): Buffer {
  const objects = [objectOf(TYPES.blob, Buffer.alloc(bytes, "a"))];
  for (let i = 0; i < length; i += 1) {
    const changed = Buffer.from(String(i).padStart(8, "0"));
    const delta = [varint(bytes), varint(bytes), Buffer.from([changed.length]), changed, ...copies(8, bytes - 8)];
    objects.push(deltaOn(objects.at(-1)!, Buffer.concat(delta)));
  }
  return packOf(objects);
}

/** A pack that says that it has so many objects, and has none. */
export function packThatClaims(objectCount: number): Buffer {
  return sealed(packHead(objectCount));
}

function packOf(objects: readonly Buffer[]): Buffer {
  return sealed(Buffer.concat([packHead(objects.length), ...objects]));
}

function packHead(objectCount: number): Buffer {
  const head = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  head.writeUInt32BE(objectCount, 8);
  return head;
}

function sealed(pack: Buffer): Buffer {
  return Buffer.concat([pack, createHash("sha1").update(pack).digest()]);
}

function objectOf(type: number, content: Buffer): Buffer {
  return Buffer.concat([objectHead(type, content.length), deflateSync(content)]);
}

/** On the object right before it. */
function deltaOn(before: Buffer, delta: Buffer): Buffer {
  const distance = [before.length & 0x7f];
  for (let rest = before.length >>> 7; rest > 0; rest = (rest - 1) >>> 7) distance.unshift(0x80 | ((rest - 1) & 0x7f));
  return Buffer.concat([objectHead(TYPES.offsetDelta, delta.length), Buffer.from(distance), deflateSync(delta)]);
}

function objectHead(type: number, bytes: number): Buffer {
  const first = (type << 4) | (bytes % 16);
  const rest = Math.floor(bytes / 16);
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 0x80]), varint(rest)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const COPY_BYTES_MAX = 0xffffff;

function copies(offset: number, bytes: number): Buffer[] {
  if (bytes <= COPY_BYTES_MAX) return [copy(offset, bytes)];
  return [copy(offset, COPY_BYTES_MAX), ...copies(offset + COPY_BYTES_MAX, bytes - COPY_BYTES_MAX)];
}

/** The delta's instruction to copy from its base. */
function copy(offset: number, bytes: number): Buffer {
  const numbers = [
    offset & 0xff,
    (offset >> 8) & 0xff,
    (offset >> 16) & 0xff,
    offset >>> 24,
    bytes & 0xff,
    (bytes >> 8) & 0xff,
  ];
  return Buffer.from([0xff, ...numbers, (bytes >> 16) & 0xff]);
}
