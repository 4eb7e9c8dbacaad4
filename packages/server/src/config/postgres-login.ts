import { hasPassword } from './fields.ts'
import { nameOf } from './problems.ts'
import type { ParsedConfig } from './schema.ts'
import type { Merged } from './variables.ts'

// What takes the place of a password in the URL of a Postgres: a file that is read for each new connection, or RDS IAM.

export type Place = 'database' | 'store'
type Login = Pick<ParsedConfig, 'databasePasswordFile' | 'storePasswordFile' | 'rdsIam'>

/** Whether the connections of this URL get tokens of RDS IAM. */
export function usesIam(login: Login, place: Place, url = ''): boolean {
  const file = login[`${place}PasswordFile`]
  return login.rdsIam && url.startsWith('postgres') && file === undefined && !hasPassword(url)
}

/** A token is as good as a password, so it goes to a verified server alone. */
export function withTlsOfIam(login: Login, place: Place, url: string): string {
  if (!usesIam(login, place, url) || /[?&](sslmode=|sslrootcert=system)/.test(url)) return url
  return `${url}${url.includes('?') ? '&' : '?'}sslmode=verify-full`
}

export function loginProblems(config: ParsedConfig, merged: Merged): readonly string[] {
  const { database, store } = config
  const name = (key: string) => nameOf(merged, [key])
  const own = store === database ? undefined : store
  const urls = { database, store: own }
  const ofIam = (['database', 'store'] as const).filter((place) => usesIam(config, place, urls[place]))
  return [
    ...ofFile(config.databasePasswordFile, name('databasePasswordFile'), 'DATABASE_URL', database),
    ...ofFile(config.storePasswordFile, name('storePasswordFile'), 'STORE_URL of its own', own),
    ...(config.rdsIam && ofIam.length === 0
      ? [`${name('rdsIam')} needs a postgres:// URL that has no password, nor a file with one`]
      : []),
    ...ofIam.flatMap((place) => iamProblems(urls[place] as string, `${place.toUpperCase()}_URL`)),
  ]
}

function ofFile(file: string | undefined, name: string, needed: string, url = ''): readonly string[] {
  if (file === undefined || (url.startsWith('postgres') && !hasPassword(url))) return []
  return [`${name} needs a postgres:// ${needed}, without a password`]
}

function iamProblems(url: string, variable: string): readonly string[] {
  const verified = [...url.matchAll(/[?&](sslmode|ssl|uselibpqcompat)=([^&]*)/g)].every(
    ([, name, mode]) => name === 'sslmode' && /^(prefer|require|verify-ca|verify-full)$/.test(mode ?? ''),
  )
  return [
    ...(/^\w+:\/\/[^@/?]+@/.test(url) ? [] : [`${variable} must name its user, for RDS IAM`]),
    ...(verified ? [] : [`${variable} must have sslmode=verify-full, or no sslmode, for RDS IAM`]),
  ]
}
