/**
 * Runs work that depends on a setting. An error begins with the name of the setting, and ends with the command to run
 * if tables must be migrated. It never contains the value: a URL may contain a password.
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
  const advice =
    code === INSUFFICIENT_PRIVILEGE ? MIGRATE : ADVICE.find(([about]) => about.test(message))?.[1]
  return advice === undefined ? message : `${message.replace(ADVICE_OF_STORE, '')}. ${advice}`
}

const INSUFFICIENT_PRIVILEGE = '42501'
const MIGRATE = 'Run "pnpm database migrate" as a role that may create tables'
const ADVICE: readonly (readonly [about: RegExp, advice: string])[] = [
  [
    /\bnewer release\b/,
    'Run "git pull", then "pnpm database migrate" and "pnpm start", or name another database',
  ],
  [/\bno tables\b/, `${MIGRATE}, or "pnpm start", which does it too`],
]
/** The advice of a store that is a package of its own. */
const ADVICE_OF_STORE = /: (run|call|start) [^:]*$/
