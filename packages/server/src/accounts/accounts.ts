import { randomBytes } from 'node:crypto'
import type { UserClaims } from '@grantkit/core'
import * as z from 'zod'
import { faultsOf, parseJson, readTextFile } from '../config/text-file.ts'
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
    .regex(
      /^scrypt\$\d+\$\d+\$\d+\$[\w-]+\$[\w-]+$/,
      'must be a scrypt hash, as the database of accounts has them',
    ),
})
const AccountsFile = z.object({ accounts: z.array(ImportedAccount) })

/** A user. The e-mail address is absent if no trusted party verified it. */
export interface Account extends Omit<z.output<typeof ImportedAccount>, 'email'> {
  readonly email?: string | undefined
}

/** A snapshot of an account. */
export interface StoredAccount extends Account {
  /** Incremented whenever all sessions of the account end. Starts with the time at which it was added. */
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
  const parsed = AccountsFile.safeParse(parseJson(path, await readTextFile(path)))
  if (!parsed.success) throw new Error(`${path} is not a file of accounts: ${faultsOf(parsed.error)}`)
  return parsed.data.accounts
}

/** A hash that matches no password: checking it makes an unknown address take as long as a known one. */
export const HASH_OF_NO_PASSWORD = hashOf(randomBytes(16), randomBytes(KEY_LENGTH))
