import { type CommandNames, commandNamesOf } from '../command-names.ts'
import { withMaskedUrls } from './url-passwords.ts'

/**
 * Runs work that depends on an environment variable. An error begins with its name, and ends with the command to run
 * if tables must be migrated. It never contains the value: a URL may contain a password.
 */
export async function variableAtFault<T>(
  variable: string,
  work: () => Promise<T>,
  commands?: CommandNames,
): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const { message = String(cause), code } = cause as { message?: string; code?: unknown }
    throw new Error(
      `${variable}: ${withAdvice(withMaskedUrls(message), code, commandNamesOf({ commands }))}`,
      { cause },
    )
  }
}

function withAdvice(message: string, code: unknown, { update, migrate, start }: CommandNames): string {
  const allowed = `Run "${migrate}" as a role that may create tables`
  const table: readonly (readonly [about: RegExp, advice: string])[] = [
    [/\bnewer release\b/, `Run "${update}", then "${migrate}" and "${start}", or name another database`],
    [/\bno tables\b/, `${allowed}, or "${start}", which does it too`],
  ]
  const advice = code === INSUFFICIENT_PRIVILEGE ? allowed : table.find(([about]) => about.test(message))?.[1]
  return advice === undefined ? message : `${message.replace(ADVICE_OF_STORE, '')}. ${advice}`
}

const INSUFFICIENT_PRIVILEGE = '42501'
/** The advice of a store that is a package of its own. */
const ADVICE_OF_STORE = /: (run|call|start) [^:]*$/
