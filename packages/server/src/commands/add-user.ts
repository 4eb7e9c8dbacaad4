import { randomUUID } from 'node:crypto'
import { defineCommand } from 'citty'
import * as z from 'zod'
import { addressOf } from '../accounts/account-record.ts'
import { hashPassword } from '../accounts/passwords.ts'
import { ProfileClaims } from '../accounts/profile-claims.ts'
import type { LoadService } from '../configured-service.ts'
import { readPassword } from './password-prompt.ts'
import { plain } from './terminal.ts'
import { requireOwnUsers, withService } from './with-service.ts'

const CLAIMS = Object.keys(ProfileClaims.shape).map((claim) => [claim, claim.replaceAll('_', '-')] as const)
const claimOptions = Object.fromEntries(
  CLAIMS.map(([, option]) => [option, { type: 'string', valueHint: 'value' } as const]),
)

/** Adds a user who signs in with a password. */
export const addUser = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Adds a user. The password is asked for, or read from standard input' },
    args: {
      email: { type: 'string', required: true, valueHint: 'address' },
      name: { type: 'string', required: true },
      'email-verified': { type: 'boolean', description: 'the address is known to belong to the user' },
      ...claimOptions,
    },
    run: async ({ args }) => {
      const configured = await load()
      requireOwnUsers(configured)
      await withService(configured, async ({ accounts }) => {
        const account = await accountOf(args.email, args.name, args)
        const email = plain(account.email)
        if (!(await accounts.add(account))) throw new Error(`${email} has an account already.`)
        console.log(`${email} can sign in.`)
      })
    },
  })

async function accountOf(typed: string, name: string, options: Readonly<Record<string, unknown>>) {
  const email = addressOf(typed)
  if (!/^[^\s@\0]+@[^\s@\0]+$/.test(email)) throw new Error(`${plain(typed)} is not an e-mail address.`)
  const claims = ProfileClaims.safeParse(
    Object.fromEntries(CLAIMS.map(([claim, option]) => [claim, options[option]])),
  )
  if (!claims.success) throw new Error(z.prettifyError(claims.error))
  return {
    ...claims.data,
    id: randomUUID(),
    email,
    email_verified: options['email-verified'] === true,
    name,
    updated_at: Math.floor(Date.now() / 1000),
    password: await hashPassword(await readPassword()),
  }
}
