import { tableNames } from '@grantkit/core/store-kit'

export interface Tables {
  readonly client: string
  readonly grant: string
  readonly transient: string
  /** One row: the version of the tables. */
  readonly schema: string
}

/** @throws RangeError for a prefix that is not `[a-z_]{1,32}` */
export function tablesOf(prefix = 'grantkit_'): Tables {
  return { ...tableNames(prefix), schema: `${prefix}schema` }
}
