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
/** A store tells what to do where it is a package of its own. */
const ADVICE_OF_STORE = /: (run|call|start) [^:]*$/
