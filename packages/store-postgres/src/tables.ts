/** The names of the tables. SQL text is made of them alone; every value is a parameter. */
export interface Tables {
  readonly client: string
  readonly grant: string
  readonly transient: string
  /** One row: the version of the schema. */
  readonly schema: string
}

const PREFIX = /^[a-z_]{1,32}$/

/** @throws RangeError for a prefix that is not `[a-z_]{1,32}` */
export function tablesOf(prefix = 'grantkit_'): Tables {
  if (!PREFIX.test(prefix)) throw new RangeError('The prefix of the tables must be [a-z_]{1,32}')
  return {
    client: `${prefix}client`,
    grant: `${prefix}grant`,
    transient: `${prefix}transient`,
    schema: `${prefix}schema`,
  }
}
