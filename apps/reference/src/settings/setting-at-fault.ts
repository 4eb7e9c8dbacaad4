/**
 * Does what depends on a setting. An error then begins with its name, and ends with what to run where tables are the
 * matter. The value is never told: a URL may have a password.
 */
export async function settingAtFault<T>(setting: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const { message = String(cause), code } = cause as { message?: string; code?: unknown }
    throw new Error(`${setting}: ${withAdvice(message, code)}`, { cause })
  }
}

function withAdvice(message: string, code: unknown): string {
  if (code === INSUFFICIENT_PRIVILEGE) return `${message}. ${MIGRATE}`
  return NEWER_RELEASE.test(message) ? `${message.replace(ADVICE_OF_STORE, '')}. ${UPDATE}` : message
}

const INSUFFICIENT_PRIVILEGE = '42501'
const MIGRATE = 'Run "pnpm database migrate" as a role that may create tables'

const NEWER_RELEASE = /\bnewer release\b/
/** A store tells what to do where it is a package of its own. */
const ADVICE_OF_STORE = /: (run|start) [^:]*$/
const UPDATE = 'Run "git pull", then "pnpm database migrate" and "pnpm start", or name another database'
