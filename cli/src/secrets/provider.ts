/** Where values come from that are kept nowhere else: a secrets manager. */
export interface SecretsProvider {
  /** Is for people: "Vault at https://…, secret/shop". */
  name: string;
  /**
   * The values of those of the keys that it has.
   * @throws CliError with a sentence that holds no value
   */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
