/**
 * Does what depends on a setting. An error then begins with its name, and ends with what a role without the right to
 * create tables needs. The value is never told: a URL may have a password.
 */
export async function settingAtFault<T>(setting: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const { message = String(cause), code } = cause as { message?: string; code?: unknown }
    const advice = code === INSUFFICIENT_PRIVILEGE ? ADVICE : ''
    throw new Error(`${setting}: ${message}${advice}`, { cause })
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'
const ADVICE = '. Run "pnpm database migrate" as a role that may create tables'
