/** A part of a text, from `start` up to and without `end`. */
export interface Range {
  start: number;
  end: number;
}

/** How a node goes on: nowhere; only to the node after it; to that one and to others. */
const LEAF = 0;
const CHAIN = 1;
const BRANCHES = 2;
const ROOT = 0;
const NODE_BYTES = 11;

/** The nodes that one secret added, numbered one after the other: what it does not share with the secret before it. */
interface Run {
  parent: number;
  first: number;
  unit: number;
  /** Numbers of the first and of the last node. */
  from: number;
  to: number;
}

/**
 * Finds every occurrence of every secret in one pass (Aho–Corasick over UTF-16 units). Each unit of the text moves one
 * node down or some nodes back, and never further back than it went down: so a search takes at most two steps per unit,
 * however alike the secrets are, and building takes as many as the secrets have units. A step out of a node with
 * branches looks among all branches by halves, of which there are fewer than secrets.
 *
 * Nodes are numbered along the sorted secrets, so that a node's first child is the next number. That is why a node costs
 * eleven bytes, and only branches are stored apart.
 */
export class SecretSearch {
  /** The unit that leads to a node. */
  readonly #units: Uint16Array;
  readonly #kinds: Uint8Array;
  /** For a node, the node of the longest end of its text that is also the beginning of a secret. */
  readonly #fallbacks: Int32Array;
  /** The length of the longest secret that ends at a node; 0 for none. */
  readonly #lengths: Int32Array;
  /** The node that a secret's first unit leads to. */
  readonly #roots: Int32Array;
  /** Sorted `keyOf` of a parent and a unit, and the child that they lead to. */
  readonly #branchKeys: Float64Array;
  readonly #branchChildren: Int32Array;
  /** Bytes of the tables. */
  readonly bytes: number;

  constructor(secrets: ReadonlySet<string>) {
    const sorted = [...secrets].filter((secret) => secret !== "").sort();
    const shared = sorted.map((secret, i) => sharedLength(sorted[i - 1] ?? "", secret));
    const nodes = sorted.reduce((sum, secret, i) => sum + secret.length - shared[i]!, 1);
    this.#units = new Uint16Array(nodes);
    this.#kinds = new Uint8Array(nodes);
    this.#fallbacks = new Int32Array(nodes);
    this.#lengths = new Int32Array(nodes);
    const runs = this.#addAll(sorted, shared);

    // Sorted secrets begin with ever higher units.
    this.#roots = new Int32Array((sorted.at(-1)?.charCodeAt(0) ?? -1) + 1);
    for (const run of runs) if (run.parent === ROOT) this.#roots[run.unit] = run.first;
    const branches = runs
      .filter(({ parent, first }) => parent !== ROOT && first !== parent + 1)
      .sort((a, b) => keyOf(a.parent, a.unit) - keyOf(b.parent, b.unit));
    for (const { parent } of branches) this.#kinds[parent] = BRANCHES;
    this.#branchKeys = Float64Array.from(branches, ({ parent, unit }) => keyOf(parent, unit));
    this.#branchChildren = Int32Array.from(branches, ({ first }) => first);
    this.#linkFallbacks(runs);
    this.bytes = nodes * NODE_BYTES;
  }

  /** Ranges that secrets cover from there on, in order; overlapping ones as one range, so that no rest of either stays. */
  rangesIn(text: string, from = 0): Range[] {
    const ranges: Range[] = [];
    if (this.#roots.length === 0) return ranges;
    let node = ROOT;
    for (let at = from; at < text.length; at++) {
      node = this.#step(node, text.charCodeAt(at));
      const length = this.#lengths[node]!;
      if (length > 0) cover(ranges, at + 1 - length, at + 1);
    }
    return ranges;
  }

  #addAll(sorted: readonly string[], shared: readonly number[]): Run[] {
    const runs: Run[] = [];
    /** The nodes of the latest secret, by depth. */
    const path = new Int32Array(sorted.reduce((longest, { length }) => Math.max(longest, length), 0) + 1);
    let node = ROOT;
    for (const [i, secret] of sorted.entries()) {
      const depth = shared[i]!;
      const parent = path[depth]!;
      runs.push({ parent, first: node + 1, unit: secret.charCodeAt(depth), from: depth + 1, to: secret.length });
      if (node === parent) this.#kinds[node] = CHAIN;
      for (let at = depth; at < secret.length; at++) {
        node++;
        this.#units[node] = secret.charCodeAt(at);
        this.#kinds[node] = at + 1 < secret.length ? CHAIN : LEAF;
        path[at + 1] = node;
      }
      this.#lengths[node] = secret.length;
    }
    return runs;
  }

  /** Depth by depth, because a fallback is always less deep than its node. */
  #linkFallbacks(runs: Run[]): void {
    const waiting = runs.sort((a, b) => b.from - a.from);
    let active: Run[] = [];
    for (let depth = 1; active.length > 0 || waiting.length > 0; depth++) {
      while (waiting.at(-1)?.from === depth) active.push(waiting.pop()!);
      for (const run of active) this.#linkFallback(run, depth);
      if (active.some((run) => run.to === depth)) active = active.filter((run) => run.to > depth);
    }
  }

  #linkFallback(run: Run, depth: number): void {
    const node = run.first + depth - run.from;
    const parent = depth === run.from ? run.parent : node - 1;
    const fallback = parent === ROOT ? ROOT : this.#step(this.#fallbacks[parent]!, this.#units[node]!);
    this.#fallbacks[node] = fallback;
    // A secret that ends in the node itself is longer than any that ends in its fallback.
    this.#lengths[node] ||= this.#lengths[fallback]!;
  }

  #step(from: number, unit: number): number {
    for (let node = from; node !== ROOT; node = this.#fallbacks[node]!) {
      const kind = this.#kinds[node]!;
      if (kind !== LEAF && this.#units[node + 1] === unit) return node + 1;
      if (kind !== BRANCHES) continue;
      const child = this.#branch(keyOf(node, unit));
      if (child !== ROOT) return child;
    }
    return unit < this.#roots.length ? this.#roots[unit]! : ROOT;
  }

  #branch(key: number): number {
    let low = 0;
    let high = this.#branchKeys.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#branchKeys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return this.#branchKeys[low] === key ? this.#branchChildren[low]! : ROOT;
  }
}

/** Exact: there are fewer nodes than 2^31, and a unit has 16 bits. */
function keyOf(node: number, unit: number): number {
  return node * 0x10000 + unit;
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** Adds a range that ends after all others; those that it overlaps become a part of it. */
function cover(ranges: Range[], start: number, end: number): void {
  let last = ranges.at(-1);
  if (!last || last.end <= start) {
    ranges.push({ start, end });
    return;
  }
  let first = start;
  while (last && last.end > start) {
    first = Math.min(first, last.start);
    ranges.pop();
    last = ranges.at(-1);
  }
  ranges.push({ start: first, end });
}
