import { terminalText } from '@grantkit/core/feature'
import { type Logger, type LoggerOptions, pino } from 'pino'
import type { Config } from '../config/config.ts'
import { levelOf, type ServiceEvent } from '../events.ts'

/**
 * Lines are also read on terminals, and clients choose their names: control characters are escaped, and the JSON is
 * equal.
 */
export const LOG_OPTIONS: LoggerOptions = {
  base: null,
  hooks: { streamWrite: (line) => `${terminalText(line.trimEnd())}\n` },
}

/**
 * The same for lines that are parsed again, and printed as text: each escape is text itself, as `\\u202e`. Line breaks and
 * tabs stay, because stacks have them.
 */
export const READABLE_OPTIONS: LoggerOptions = {
  base: null,
  hooks: {
    streamWrite: (line) =>
      `${terminalText(line.trimEnd()).replace(/\\(?:u[\da-f]{4}|.)/gi, (code) =>
        /^\\[ubfr]/.test(code) ? `\\${code}` : code,
      )}\n`,
  },
}
const PRETTY = { ignore: 'pid,hostname' }

/**
 * JSON lines; readable lines on a terminal. Outside of production each is written at once, so that the banner comes last.
 *
 * @param worker its number, if the server has several: in each line
 */
export function createLogger({ logLevel, mode }: Config, worker?: number): Logger {
  const options = { level: logLevel, ...(worker !== undefined && { base: { worker } }) }
  // Without a destination pino writes to a `process.stdout` that a host has wrapped.
  if (mode === 'production') return pino({ ...LOG_OPTIONS, ...options })
  return mode === 'development' && process.stdout.isTTY
    ? pino({ ...READABLE_OPTIONS, ...options, transport: { target: 'pino-pretty', options: PRETTY } })
    : pino({ ...LOG_OPTIONS, ...options }, pino.destination({ sync: true }))
}

/**
 * Observers that log events, errors and warnings. A server has them by default; one with observers of its own calls them
 * too, or passes a log of its own.
 */
export function logObservers(log: Logger) {
  return {
    onEvent: logEvents(log),
    onError: logErrors(log),
    onWarning: (warning: string) => log.warn(warning),
    /** Resolves when what was logged before is printed: on a terminal, another thread prints it. */
    printed: () => new Promise<void>((resolve) => log.flush(() => resolve())),
  }
}

/** Events contain no secret, so each is logged. Its type determines the level. */
function logEvents(log: Logger): (event: ServiceEvent) => void {
  const logFailure = onceASecond((failure: Pick<ServiceEvent, 'type'>) => log.error(failure, failure.type))
  // Unauthenticated callers can cause any number of failed sign-ins, and a client that refreshes in a loop any number
  // of dropped tokens.
  const logRepeated = onceASecond((event: ServiceEvent) => log.info(event, event.type))
  return (event) => {
    if ('cause' in event) {
      // Endpoints are configured. An id of a client is not part of it: anyone may send any number of those.
      const { reason = '', endpoint = '' } = event as { reason?: string; endpoint?: string }
      const kind = `${event.type} ${reason} ${endpoint}`
      const failure = { ...event, cause: undefined, err: event.cause }
      logFailure(kind, failure)
    } else if (event.type === 'sign_in_failed') logRepeated(`${event.reason} ${event.subject}`, event)
    else if (event.type === 'sign_in_refused')
      logRepeated(`${event.type} ${event.provider} ${event.reason}`, event)
    else if (event.type === 'access_token_dropped') logRepeated(`${event.type} ${event.clientId}`, event)
    // A request has personal data, and is thousands of characters. Its hash finds it in the trail.
    else if (event.type === 'request_object_accepted')
      log.info({ ...event, requestObject: undefined }, event.type)
    else log[levelOf(event)](event, event.type)
  }
}

/** Errors that are not events of core, such as errors of a page. */
function logErrors(log: Logger): (error: unknown) => void {
  const logFailure = onceASecond((failure) => log.error(failure, 'request_failed'))
  return (err) => logFailure(err instanceof Error ? err.name : '', { err })
}

const SECOND_MS = 1000

/**
 * Reports one failure per second and kind, because in an outage every request fails. The first one is reported at once.
 * A later report is the last failure of its second, and `count` is their number.
 */
function onceASecond<Failure extends object>(
  report: (failure: Failure & { readonly count: number }) => void,
): (kind: string, failure: Failure) => void {
  const pending = new Map<string, { last: Failure; count: number }>()

  function reportNow(kind: string, failure: Failure, count: number): void {
    report({ ...failure, count })
    const next = { last: failure, count: 0 }
    pending.set(kind, next)
    setTimeout(() => {
      pending.delete(kind)
      if (next.count > 0) reportNow(kind, next.last, next.count)
    }, SECOND_MS).unref()
  }

  return (kind, failure) => {
    const next = pending.get(kind)
    if (next === undefined) return reportNow(kind, failure, 1)
    next.last = failure
    next.count += 1
  }
}
