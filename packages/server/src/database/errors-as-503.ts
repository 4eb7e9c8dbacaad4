import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'
import { kindOfError } from './outages.ts'

type Method = (...parameters: never[]) => Promise<unknown>
type Methods<Rows> = { readonly [name in keyof Rows]: Method }

/**
 * Wraps the reading and writing of rows: an outage of the database becomes `temporarily_unavailable`. Any other error is
 * unchanged: a bug is no outage.
 */
export function errorsAs503<Rows extends Methods<Rows>>(rows: Rows): Rows {
  return wrapped(rows, (error) => kindOfError(error) === 'outage')
}

/**
 * The same for records in the store of the OAuth server. Its driver may be any: a store rejects when it cannot reach its
 * records, so only a known bug is none.
 */
export function storeErrorsAs503<Rows extends Methods<Rows>>(rows: Rows): Rows {
  return wrapped(rows, (error) => kindOfError(error) !== 'bug')
}

function wrapped<Rows extends Methods<Rows>>(rows: Rows, isOutage: (error: unknown) => boolean): Rows {
  const unavailable = (cause: unknown) => {
    if (!isOutage(cause)) throw cause
    throw new OAuthError(ERRORS.store_unavailable, undefined, { cause })
  }
  const methods = Object.entries<Method>(rows).map(([name, method]) => [
    name,
    (...parameters: never[]) => method(...parameters).catch(unavailable),
  ])
  return Object.fromEntries(methods) as Rows
}
