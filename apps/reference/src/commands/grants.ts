import { styleText } from 'node:util'
import type { UserGrant } from '@grantkit/core'
import type { AccountDirectory } from '../accounts/account-directory.ts'
import type { Service } from '../service.ts'
import { momentOf } from './client-lines.ts'
import { readCommandLine, refuse } from './command-line.ts'
import { namedAccount } from './named-account.ts'
import { fail, jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/** Lists the grants of a user, and revokes them. */

const USAGE = `pnpm grants list <user>                what the user allowed, the newest first
pnpm grants revoke <user> <grant_id>   ends one grant with all its tokens
pnpm grants revoke <user> --all        ends every grant; the user can allow them again

<user> is the e-mail address of an account, or its id.

list takes
  --json   a JSON line for each`

/** The id of a grant is 128 random bits in base64url, and one in 64 begins with a hyphen, as an option does. */
const LIKE_AN_OPTION = /^-[\w-]{21}$/

const { values, positionals } = readCommandLine(USAGE, {
  args: process.argv
    .slice(2)
    .flatMap((argument) => (LIKE_AN_OPTION.test(argument) ? ['--', argument] : [argument])),
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
})

try {
  await run()
} catch (error) {
  fail(error)
}

async function run(): Promise<void> {
  const [command = '', user, grantId, ...more] = positionals
  const surplus = command === 'list' || values.all ? grantId : more[0]
  if (surplus !== undefined) refuse(USAGE, `Unexpected argument: ${surplus}.`)
  if (command !== 'list' && command !== 'revoke') refuse(USAGE, 'The command must be list or revoke.')
  if (user === undefined) refuse(USAGE, 'The e-mail address or the id of the user is required.')
  if (command === 'list')
    return withSharedStore(async ({ grants, directory }) => print(grants, await idOf(directory, user)))
  if (grantId === undefined && !values.all) refuse(USAGE, 'The id of the grant, or --all, is required.')
  return withSharedStore(async ({ grants, directory }) => {
    const ended = await revoke(grants, await idOf(directory, user), grantId)
    console.log(`${ended} ${ended === 1 ? 'grant has' : 'grants have'} ended.`)
  })
}

/** An account that was removed is known by its id alone. */
async function idOf(directory: AccountDirectory, user: string): Promise<string> {
  return user.includes('@') ? (await namedAccount(directory, user)).id : user
}

async function revoke(
  grants: Service['grants'],
  subject: string,
  grantId: string | undefined,
): Promise<number> {
  if (grantId === undefined) return grants.revokeAll(subject, { by: 'operator' })
  if (await grants.revoke(subject, grantId, 'operator')) return 1
  throw new Error(`This user has no grant ${plain(grantId)}.`)
}

async function print(grants: Service['grants'], subject: string): Promise<void> {
  let printed = 0
  let after: string | undefined
  do {
    const page = await grants.list(subject, { limit: 200, after })
    for (const grant of page.grants) console.log(values.json ? jsonText(grant) : grantLine(grant))
    printed += page.grants.length
    after = page.next
  } while (after !== undefined)
  if (printed === 0 && !values.json) console.log('There are no grants.')
}

function grantLine({ id, clientId, client, scopes, usedAt }: UserGrant): string {
  const name = plain(client?.clientName ?? clientId)
  return `${id}  ${styleText('bold', name)}  client ${plain(clientId)}  used ${momentOf(usedAt)}  ${scopes.map(plain).join(' ')}`
}
