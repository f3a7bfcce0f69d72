import { CompiledQuery, sql, type RawBuilder } from "kysely";
import type { Db } from "./database.ts";
import { prepareOncePerConnection } from "./prepared-statements.ts";

/** Stands in a query for one of the values of each call. */
type ValueOf<Values> = (of: keyof Values) => RawBuilder<never>;

/**
 * Makes a query whose text is put together once, and which each connection parses and plans once (PREPARE): for one that is asked
 * with most requests, and whose plan takes longer than its execution. Its columns need types of their own, such as `text`,
 * whatever those of the tables become: a newer version's migration would break it otherwise.
 */
export function preparedQuery<Values extends object, Row>(
  name: string,
  compose: (value: ValueOf<Values>) => RawBuilder<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  let made: CompiledQuery | undefined;
  return async (db, values) => {
    made ??= named(name, compose((of) => sql`${new Placeholder(of)}`).compile(db));
    const bound = made.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.of as keyof Values] : parameter,
    );
    return (await db.executeQuery<Row>(CompiledQuery.raw(made.sql, bound))).rows;
  };
}

function named(name: string, query: CompiledQuery): CompiledQuery {
  prepareOncePerConnection(name, query.sql);
  return query;
}

class Placeholder {
  readonly of: PropertyKey;

  constructor(of: PropertyKey) {
    this.of = of;
  }
}
