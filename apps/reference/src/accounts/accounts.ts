import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { UserClaims } from '@grantkit/core'
import { z } from 'zod'
import { hashOf, KEY_LENGTH } from './passwords.ts'
import { ProfileClaims } from './profile-claims.ts'

const ImportedAccount = z.strictObject({
  /** The `sub` of the user: never changes, and is never reused for another person. */
  id: z.string().min(1),
  email: z.email().transform((email) => email.toLowerCase()),
  email_verified: z.boolean().default(false),
  name: z.string().min(1),
  ...ProfileClaims.shape,
  /** Epoch seconds, as the claim of OpenID Connect Core 5.1. */
  updated_at: z.number().int(),
  password: z
    .string()
    .regex(/^scrypt\$\d+\$\d+\$\d+\$[\w-]+\$[\w-]+$/, 'must be a scrypt hash made by "pnpm account add"'),
})
const AccountsFile = z.object({ accounts: z.array(ImportedAccount) })

/** A user. The e-mail address is absent if no trusted party verified it. */
export interface Account extends Omit<z.output<typeof ImportedAccount>, 'email'> {
  readonly email?: string | undefined
}

/** A snapshot of an account. */
export interface StoredAccount extends Account {
  /** Incremented whenever all sessions of the account end. */
  readonly sessionEpoch: number
  readonly emailSource: EmailSource | undefined
}

/**
 * Who verified the e-mail address: the operator who added it, or the issuer of the OpenID provider. `undefined` for an
 * account that an older release added through a provider.
 */
export type EmailSource = 'operator' | (string & {})

export interface Accounts {
  /** The account for a correct e-mail address and password. An unknown address takes as long as a known one. */
  verify(email: string, password: string): Promise<StoredAccount | undefined>
  find(id: string): Promise<StoredAccount | undefined>
  /** The id of the account with this e-mail address. */
  idOf(email: string): Promise<string | undefined>
  /** The claims for UserInfo (OpenID Connect Core 5.1), or `undefined` if the user is disabled or removed. */
  claims(id: string): Promise<UserClaims | undefined>
}

/** @throws Error that names the fault of the file */
export async function readAccounts(path: string): Promise<Account[]> {
  const parsed = AccountsFile.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (!parsed.success) throw new Error(`${path} is not a file of accounts: ${z.prettifyError(parsed.error)}`)
  return parsed.data.accounts
}

/** A hash that matches no password: checking it makes an unknown address take as long as a known one. */
export const HASH_OF_NO_PASSWORD = hashOf(randomBytes(16), randomBytes(KEY_LENGTH))

/** A user with every claim of the scope `profile`. */
const DANA = {
  given_name: 'Dana',
  family_name: 'Moore',
  middle_name: 'Ines',
  nickname: 'Dee',
  preferred_username: 'dana.moore',
  profile: 'https://example.com/dana',
  picture: 'https://example.com/dana.png',
  website: 'https://example.com/',
  gender: 'female',
  birthdate: '1990-04-02',
  zoneinfo: 'Europe/Lisbon',
  locale: 'en-GB',
}

export const DEMO_ACCOUNT = 'demo-account'
const DEMO_HASH = 'scrypt$32768$8$1$GzqJchR3bu_vGQBKIFLw9A$2UjgNl8wxiNHA9Y6wSVzrAm7iFS-mKE-vHwLrA8DrQ0'
const TEACHER_HASH = 'scrypt$32768$8$1$N3w9ZtlEkYiKqRLI2VMVAA$5jqctzjbpj9OAhoBkCV1xEXN5jXtIClTbTMFuco8XbY'

/** Whether the password is publicly known, as those of the demo accounts are. */
export function hasPublicPassword({ password }: Pick<Account, 'password'>): boolean {
  return password === DEMO_HASH || password === TEACHER_HASH
}

/**
 * Two demo accounts. Development only: their passwords are public. Their hashes are constant, because a new hash would
 * sign them out at every restart.
 */
export function demoAccounts(): Account[] {
  return [
    demoAccount(DEMO_ACCOUNT, 'demo', DEMO_HASH, DANA),
    demoAccount('teacher-account', 'teacher', TEACHER_HASH, { given_name: 'Theo', family_name: 'Chen' }),
  ]
}

function demoAccount(
  id: string,
  word: string,
  password: string,
  profile: z.output<typeof ProfileClaims>,
): Account {
  const name = `${profile.given_name} ${profile.family_name}`
  return {
    id,
    email: `${word}@example.com`,
    email_verified: true,
    name,
    ...profile,
    updated_at: 1_767_225_600,
    password,
  }
}
