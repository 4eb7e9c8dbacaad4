import type { ServerEvent } from '@grantkit/core'
import { type Logger, type LoggerOptions, pino } from 'pino'
import type { Settings } from './settings.ts'

/** JSON lines; readable lines if a person is watching. */
export function createLogger({ LOG_LEVEL, NODE_ENV }: Settings): Logger {
  const forPeople = NODE_ENV === 'development' && process.stdout.isTTY
  const options: LoggerOptions = { level: LOG_LEVEL, base: null }
  return pino(
    forPeople
      ? { ...options, transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }
      : options,
  )
}

/** Core's events contain no secret, so each is logged as it is. Its type determines the level. */
export function logEvents(log: Logger): (event: ServerEvent) => void {
  return (event) => {
    if ('cause' in event) log.error({ ...event, cause: undefined, err: event.cause }, event.type)
    else if (event.type === 'grant_ended') log.warn(event, event.type)
    else log.info(event, event.type)
  }
}
