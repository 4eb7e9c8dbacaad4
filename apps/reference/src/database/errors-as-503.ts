import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'

type Method = (...parameters: never[]) => Promise<unknown>
type Methods<Rows> = { readonly [name in keyof Rows]: Method }

/**
 * Wraps the reading and writing of records: an error of the database becomes `temporarily_unavailable`. Any other error
 * is unchanged: a bug is not an outage.
 */
export function errorsAs503<Rows extends Methods<Rows>>(rows: Rows, isOutage = isDatabaseError): Rows {
  const unavailable = (cause: unknown) => {
    if (!isOutage(cause)) throw cause
    throw new OAuthError(ERRORS.store_unavailable, undefined, { cause })
  }
  const wrapped = Object.entries<Method>(rows).map(([name, method]) => [
    name,
    (...parameters: never[]) => method(...parameters).catch(unavailable),
  ])
  return Object.fromEntries(wrapped) as Rows
}

/** The same for records in the store of the OAuth server, which throws errors of its driver. */
export function storeErrorsAs503<Rows extends Methods<Rows>>(rows: Rows): Rows {
  return errorsAs503(rows, (error) => !(error instanceof TypeError))
}

/** Checks name and code, so that the driver of an unused database is not loaded. */
function isDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { name, code, message } = error as NodeJS.ErrnoException
  return name === 'NoAnswerError' || CODES.test(code ?? '') || WITHOUT_CODE.test(message)
}

/** Codes of Node's SQLite, of Postgres (SQLSTATE, such as `57P01`), and of the network (such as `ECONNREFUSED`). */
const CODES = /^(ERR_SQLITE_ERROR|[0-9A-Z]{5}|E[A-Z]+)$/
/** The connection broke, timed out, or leads to a read-only replica, as during a failover. */
const WITHOUT_CODE =
  /^(Connection terminated|timeout exceeded|Client has encountered a connection error|this server takes no writes)/
