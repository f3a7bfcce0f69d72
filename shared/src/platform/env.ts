/**
 * Reads a process's variables: each is asked for by name, with its rule; the first value that does not parse stops the
 * start with one message that names the variable, what it was and what is allowed.
 */
export class EnvReader {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #asked = new Set<string>();

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /** The value, or undefined when unset or empty. */
  text(name: string): string | undefined {
    this.#asked.add(name);
    const value = this.#env[name];
    return value === undefined || value === "" ? undefined : value;
  }

  /** @throws EnvError when `parse` returns undefined for the value. */
  parsed<T>(name: string, allowed: string, parse: (value: string) => T | undefined): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const result = parse(value);
    if (result === undefined) throw new EnvError(name, value, allowed);
    return result;
  }

  integer(name: string, range: { min: number; max: number }): number | undefined {
    return this.parsed(name, `a whole number from ${range.min} to ${range.max}`, (value) => {
      const number = Number(value);
      const fits = /^[0-9]+$/.test(value) && number >= range.min && number <= range.max;
      return fits ? number : undefined;
    });
  }

  /** host:port, [v6]:port. */
  address(name: string): HostPort | undefined {
    return this.parsed(name, "host:port, such as 127.0.0.1:8080", parseHostPort);
  }

  list(name: string): string[] | undefined {
    const items = this.text(name)
      ?.split(",")
      .map((item) => item.trim())
      .filter(Boolean);
    return items?.length ? items : undefined;
  }

  /** Variables with the prefix that nobody asked for: worth a warning, since a typing error would pass unseen. */
  unknown(prefix: string): string[] {
    return Object.keys(this.#env).filter((name) => name.startsWith(prefix) && !this.#asked.has(name));
  }
}

export class EnvError extends Error {
  override readonly name = "EnvError";
  constructor(variable: string, value: string, allowed: string) {
    super(`${variable} is ${JSON.stringify(value)}; allowed is ${allowed}.`);
  }
}

export interface HostPort {
  host: string;
  /** 0 to 65535; 0 lets the system choose. */
  port: number;
}

export function parseHostPort(value: string): HostPort | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]+)):([0-9]{1,5})$/.exec(value);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || port > 65535 ? undefined : { host, port };
}

/** Whether a listener there listens on all addresses of its machine: nobody can connect to that one itself. */
export function isWildcard({ host }: HostPort): boolean {
  return host === "0.0.0.0" || host === "::";
}

export function formatHostPort({ host, port }: HostPort): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
