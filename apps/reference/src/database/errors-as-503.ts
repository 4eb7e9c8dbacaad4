import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'

type Method = (...given: never[]) => Promise<unknown>
type Methods<Rows> = { readonly [name in keyof Rows]: Method }

/**
 * Wraps what reads and writes records: an error of the database becomes `temporarily_unavailable`. Any other error stays
 * as it is: a fault of the program is no outage.
 */
export function errorsAs503<Rows extends Methods<Rows>>(rows: Rows, isOutage = isDatabaseError): Rows {
  const unavailable = (cause: unknown) => {
    if (!isOutage(cause)) throw cause
    throw new OAuthError(ERRORS.store_unavailable, undefined, { cause })
  }
  const wrapped = Object.entries<Method>(rows).map(([name, method]) => [
    name,
    (...given: never[]) => method(...given).catch(unavailable),
  ])
  return Object.fromEntries(wrapped) as Rows
}

/** The same for records in the store of the OAuth server, whose errors are of its driver. */
export function storeErrorsAs503<Rows extends Methods<Rows>>(rows: Rows): Rows {
  return errorsAs503(rows, (error) => !(error instanceof TypeError))
}

/** By name and code: the driver of a database that is not used is not loaded. */
function isDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { name, code, message } = error as NodeJS.ErrnoException
  return name === 'NoAnswerError' || CODES.test(code ?? '') || WITHOUT_CODE.test(message)
}

/** Of Node's SQLite, of Postgres (SQLSTATE, as in `57P01`), and of the network (`ECONNREFUSED`). */
const CODES = /^(ERR_SQLITE_ERROR|[0-9A-Z]{5}|E[A-Z]+)$/
/** About a connection that broke, could not be made in time, or leads to a replica, as in the middle of a takeover. */
const WITHOUT_CODE =
  /^(Connection terminated|timeout exceeded|Client has encountered a connection error|this server takes no writes)/
