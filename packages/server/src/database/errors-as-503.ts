import { OAuthError } from '@grantkit/core'
import { ERRORS } from '@grantkit/core/errors'

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

/**
 * What an error of a database or a store means. `outage`: it cannot be used now, and a retry may succeed. `bug`: it
 * rejected what this program sent, or the program itself failed. `undefined`: an error of an unknown driver.
 *
 * Reads names and codes, so that the driver of an unused database is not loaded.
 */
export function kindOfError(error: unknown): 'outage' | 'bug' | undefined {
  if (!(error instanceof Error)) return 'bug'
  const { name, message, code, errcode, cause } = error as NodeJS.ErrnoException & { errcode?: number }
  if (OUTAGE_NAMES.has(name)) return 'outage'
  // A `fetch` that reached no host is a TypeError with a cause.
  if (OF_THE_LANGUAGE.has(name) && cause === undefined) return 'bug'
  if (code === 'ERR_SQLITE_ERROR') return SQLITE_OUTAGES.has(Number(errcode) & 0xff) ? 'outage' : 'bug'
  if (SQLSTATE.test(code ?? '')) return POSTGRES_OUTAGES.test(code ?? '') ? 'outage' : 'bug'
  if (NETWORK.test(code ?? '') || CONNECTION.test(message)) return 'outage'
  return REDIS_BUGS.test(message) ? 'bug' : undefined
}

const OF_THE_LANGUAGE = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'])
const OUTAGE_NAMES = new Set(['NoAnswerError', 'NoReplyError', 'UnknownOutcomeError'])

/**
 * Primary result codes: BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL (of locks) and NOTADB.
 */
const SQLITE_OUTAGES = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26])

/** Five characters with a digit, unlike `EPIPE`. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/

/**
 * Classes: 08 connection, 28 authorization, 53 resources, 57 operator intervention, 58 system error. Codes: no or a
 * closed database, a read-only server, a lock that is not free, a transaction that lost twice to another one.
 */
const POSTGRES_OUTAGES = /^(08|28|53|57|58)|^(3D000|55000|25006|55P03|40001|40P01)$/

/** `ECONNREFUSED`, `EAI_AGAIN`, …, and not `ERR_INVALID_STATE` of Node. */
const NETWORK = /^E(?!RR_)[A-Z_]+$/

/** The drivers give these errors no code: the connection broke, timed out, or leads to a read-only replica. */
const CONNECTION =
  /^(Connection terminated|timeout exceeded|Client has encountered a connection error|this server takes no writes)/

/** Replies to a command that Redis can never carry out. */
const REDIS_BUGS =
  /^(WRONGTYPE|CROSSSLOT|ERR (wrong number of arguments|unknown command|syntax error|value is not|Error compiling))/
