import type { Config } from '../config/config.ts'
import { variableAtFault } from '../config/fields.ts'
import { type Place, usesIam } from '../config/postgres-login.ts'
import { readTextFile } from '../config/text-file.ts'
import { loadOptional } from './optional-packages.ts'

/** Gives each new connection its password. */
export type Password = () => Promise<string>

/**
 * The password of a Postgres whose URL has none: from a file, or of RDS IAM; otherwise `undefined`. It was asked for once, so that
 * a start fails at what is missing.
 *
 * @throws Error that names the setting
 */
export async function postgresPassword(
  config: Config,
  place: Place,
  onWarning: (warning: string) => void,
): Promise<Password | undefined> {
  const url = config[place]
  const file = config[`${place}PasswordFile`]
  if (!url.startsWith('postgres')) return undefined
  if (file !== undefined) {
    const setting = `${place.toUpperCase()}_PASSWORD_FILE`
    return asked(
      setting,
      passwordOf(file, (problem) => onWarning(`${setting}: ${problem}`)),
    )
  }
  return usesIam(config, place, url) ? asked('RDS_IAM', iamToken(url)) : undefined
}

async function asked(setting: string, password: Password): Promise<Password> {
  await variableAtFault(setting, password)
  return password
}

/** A file may be missing while it is replaced. The last password may still be accepted. */
function passwordOf(file: string, onWarning: (warning: string) => void): Password {
  let last: string | undefined
  return async () => {
    try {
      const password = (await readTextFile(file)).trimEnd()
      if (password === '') throw new Error(`${file} is empty`)
      last = password
    } catch (error) {
      if (last === undefined) throw error
      onWarning(`${(error as Error).message}. A new connection uses the last password`)
    }
    return last
  }
}

/** A token is valid for 15 minutes. It is signed here, by the credentials of the AWS SDK, for the host that the URL names. */
function iamToken(url: string): Password {
  const { hostname, port, username } = new URL(url)
  const signing = loadOptional('@aws-sdk/rds-signer', () => import('@aws-sdk/rds-signer')).then(
    ({ Signer }) =>
      new Signer({ hostname, port: Number(port || 5432), username: decodeURIComponent(username) }),
  )
  return async () => (await signing).getAuthToken()
}
