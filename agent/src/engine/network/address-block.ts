/** IPv4 arithmetic for the platform's address block: which subnet an app's network gets, which address a container. */

/** A range of IPv4 addresses: `first` is its lowest as an unsigned 32-bit number, `prefix` 0 to 32. */
export interface Cidr {
  first: number;
  prefix: number;
}

/** 62 hosts: an app has a handful of containers, and a /16 then holds 1,024 apps. */
export const NETWORK_PREFIX = 26;

/** The lower quarter stays with the engine (gateway, containers that people attach by hand), so that none of its choices collides with a fixed address. */
const FIXED_ADDRESS_OFFSET = 16;

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** Is undefined when it is not a dotted IPv4 address. */
export function parseAddress(text: string): number | undefined {
  const parts = IPV4.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((address, part) => address * 256 + part, 0);
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
}

/** Is undefined when it is not IPv4 with a prefix, such as 10.210.0.0/16; bits below the prefix are cleared. */
export function parseCidr(text: string): Cidr | undefined {
  const [addressText = "", prefixText = ""] = text.split("/", 2);
  const address = parseAddress(addressText);
  const prefix = Number(prefixText);
  if (address === undefined || !/^\d{1,2}$/.test(prefixText) || prefix > 32) return undefined;
  return { first: address - (address % size(prefix)), prefix };
}

export function formatCidr({ first, prefix }: Cidr): string {
  return `${formatAddress(first)}/${prefix}`;
}

export function lastAddressOf(range: Cidr): string {
  return formatAddress(end(range) - 1);
}

export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.first < end(b) && b.first < end(a);
}

/** The lowest subnet of the block that overlaps none of `taken`; undefined when the block is used up. */
export function lowestFreeSubnet(block: Cidr, taken: readonly Cidr[], prefix = NETWORK_PREFIX): Cidr | undefined {
  for (let first = block.first; first + size(prefix) <= end(block); first += size(prefix)) {
    const candidate = { first, prefix };
    if (!taken.some((other) => overlaps(candidate, other))) return candidate;
  }
  return undefined;
}

/** The gateway: the subnet's first host. */
export function gatewayOf(subnet: Cidr): string {
  return formatAddress(subnet.first + 1);
}

/** Where the engine may choose addresses by itself. */
export function engineRangeOf(subnet: Cidr): Cidr {
  return { first: subnet.first, prefix: 32 - Math.log2(FIXED_ADDRESS_OFFSET) };
}

/** The lowest fixed address that is not taken; undefined when the subnet is full. */
export function lowestFreeAddress(subnet: Cidr, taken: ReadonlySet<string>): string | undefined {
  const broadcast = end(subnet) - 1;
  for (let address = subnet.first + FIXED_ADDRESS_OFFSET; address < broadcast; address += 1) {
    const text = formatAddress(address);
    if (!taken.has(text)) return text;
  }
  return undefined;
}

/** The networks of the kernel's table (the text of /proc/net/route), without the default route. */
export function parseRouteTable(text: string): Cidr[] {
  return text
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 8)
    .map((fields) => ({ first: fromLittleEndianHex(fields[1] ?? ""), mask: fromLittleEndianHex(fields[7] ?? "") }))
    .filter(({ mask }) => mask !== 0)
    .map(({ first, mask }) => ({ first, prefix: Math.clz32(~mask) }));
}

/** The interface of the default route with the lowest metric; undefined when there is none. */
export function defaultRouteInterface(text: string): string | undefined {
  const routes = text
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 8 && fields[1] === "00000000" && fields[7] === "00000000")
    .sort((a, b) => Number(a[6]) - Number(b[6]));
  return routes[0]?.[0];
}

function size(prefix: number): number {
  return 2 ** (32 - prefix);
}

function end({ first, prefix }: Cidr): number {
  return first + size(prefix);
}

/** /proc/net/route prints addresses in the machine's byte order, little-endian where Node 24 runs. */
function fromLittleEndianHex(hex: string): number {
  return Buffer.from(hex, "hex").reverse().readUInt32BE();
}
