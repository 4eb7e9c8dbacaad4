import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'
import { z } from 'zod'
import type { AccountDirectory, AccountEntry } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import { hashPassword } from '../accounts/passwords.ts'
import { ProfileClaims } from '../accounts/profile-claims.ts'
import type { Service } from '../service.ts'
import type { Settings } from '../settings/settings.ts'
import { readCommandLine, refuse } from './command-line.ts'
import { emailSourceOf, namedAccount, trustedAccount } from './named-account.ts'
import { fail, jsonText, plain } from './terminal.ts'
import { withService } from './with-service.ts'

/** Manages who can sign in. A password is read from standard input, never from a flag. */

const CLAIMS = Object.keys(ProfileClaims.shape).map((claim) => [claim, claim.replaceAll('_', '-')] as const)

const USAGE = `pnpm account add --email <address> --name <name>
pnpm account list                 [--json] a JSON line for each
pnpm account password <user>      a new one; it ends every session of the account
pnpm account sign-out <user>      ends every session of the account
pnpm account disable <user>       ends its sessions and grants, and "enable" lets it sign in again
pnpm account enable <user>
pnpm account admin <user>         lets it use the operator's view at /admin; with --off, no more
pnpm account remove <user>        ends the same for ever; nothing but the id is kept

<user> is the e-mail address of an account, or its id. What lets a user do more (password, enable, admin) takes the address
only if an operator added it.

add takes
  --email-verified     the address is known to belong to the user
${CLAIMS.map(([, option]) => `  --${option} <value>`).join('\n')}

A password is asked for, or read from standard input. A running service notices at its next request.`
const MIN_PASSWORD = 8
/** How many accounts are in memory at a time. */
const PAGE = 1000

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: {
    email: { type: 'string' },
    'email-verified': { type: 'boolean', default: false },
    name: { type: 'string' },
    ...Object.fromEntries(CLAIMS.map(([, option]) => [option, { type: 'string' } as const])),
    off: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const CHANGES: Readonly<
  Record<string, (service: Service, user: string, settings: Settings) => Promise<void>>
> = {
  password: async ({ accounts, directory }, user) => {
    const { id, email } = await trustedAccount(directory, user)
    if (email === undefined) throw new Error(`${plain(user)} has no verified address to sign in with.`)
    await accounts.setPassword(id, await hashPassword(await readPassword()))
    console.log(`${plain(email)} has a new password. Every session of the account has ended.`)
  },
  'sign-out': async ({ accounts, directory }, user) => {
    await accounts.endSessions((await namedAccount(directory, user)).id, 'operator')
    console.log(`${plain(user)} is signed out in every browser.`)
  },
  disable: async (service, user, settings) => {
    const { id } = await namedAccount(service.directory, user)
    await service.accounts.setDisabled(id, true)
    await endGrants(service, id, settings)
  },
  enable: async ({ accounts, directory }, user) => {
    await accounts.setDisabled((await trustedAccount(directory, user)).id, false)
    console.log(`${plain(user)} can sign in again.`)
  },
  admin: async ({ accounts, directory }, user) => {
    const account = await (values.off ? namedAccount : trustedAccount)(directory, user)
    await accounts.setAdmin(account.id, !values.off)
    console.log(
      values.off
        ? `${plain(user)} is no admin any more.`
        : `${plain(user)} is an admin: /admin of the service.`,
    )
    if (!values.off) console.log(`${emailSourceOf(account)}.`)
  },
  remove: async (service, user, settings) => {
    const { id } = await namedAccount(service.directory, user)
    await service.accounts.remove(id)
    await endGrants(service, id, settings)
  },
}

try {
  await run()
} catch (error) {
  fail(error)
}

async function run(): Promise<void> {
  const [command = '', user, ...more] = positionals
  const { email, name } = values
  const change = CHANGES[command]
  if (more.length > 0) refuse(USAGE, `Unexpected argument: ${more[0]}.`)
  if (values.off && command !== 'admin') refuse(USAGE, '--off goes with admin.')
  if (command === 'list') return withService(({ directory }) => printList(directory))
  if (command === 'add') {
    if (user !== undefined) refuse(USAGE, `Unexpected argument: ${user}.`)
    if (email === undefined || name === undefined) refuse(USAGE, '--email and --name are required.')
    return withService(({ accounts }) => add(accounts, email, name))
  }
  if (change === undefined)
    refuse(USAGE, `The command must be one of add, list, ${Object.keys(CHANGES).join(', ')}.`)
  if (user === undefined) refuse(USAGE, 'The e-mail address or the id of the account is required.')
  return withService((service, settings) => change(service, user, settings))
}

type Values = { readonly [option: string]: string | boolean | undefined }

async function add(accounts: AccountRows, email: string, name: string): Promise<void> {
  const address = email.trim().toLowerCase()
  if (!/^[^\s@\0]+@[^\s@\0]+$/.test(address)) throw new Error(`${plain(email)} is not an e-mail address.`)
  const claims = ProfileClaims.safeParse(
    Object.fromEntries(CLAIMS.map(([claim, option]) => [claim, (values as Values)[option]])),
  )
  if (!claims.success) throw new Error(z.prettifyError(claims.error))
  const account = {
    ...claims.data,
    id: randomUUID(),
    email: address,
    email_verified: values['email-verified'],
    name,
    updated_at: Math.floor(Date.now() / 1000),
    password: await hashPassword(await readPassword()),
  }
  if (!(await accounts.add(account))) throw new Error(`${plain(address)} has an account already.`)
  console.log(`${plain(address)} can sign in.`)
}

async function printList(directory: AccountDirectory): Promise<void> {
  let page = await directory.page({}, PAGE)
  if (page.accounts.length === 0 && !values.json) console.log('There are no accounts.')
  for (;;) {
    for (const account of page.accounts) console.log(values.json ? jsonText(account) : lineOf(account))
    if (page.next === undefined) return
    page = await directory.page({ after: page.next }, PAGE)
  }
}

function lineOf(account: AccountEntry): string {
  const { id, email, name, state, admin, emailSource } = account
  const source = emailSource === 'operator' ? '' : `  (${emailSourceOf(account)})`
  const marks = `${state === 'disabled' ? '  disabled' : ''}${admin ? '  admin' : ''}${source}`
  return `${id}  ${styleText('bold', email === undefined ? 'no address' : plain(email))}  ${plain(name)}${marks}`
}

/** The account is disabled first, so that no consent can open another grant. */
async function endGrants({ grants }: Service, id: string, { STORE_URL }: Settings): Promise<void> {
  const ended = await grants.revokeAll(id)
  console.log(`Done. ${ended} ${ended === 1 ? 'grant' : 'grants'} ended with it.`)
  if (STORE_URL === 'memory:')
    console.log(
      'A service on the store memory: refreshes nothing for it; an access token lives out its hour.',
    )
}

async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await ask() : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password.length < MIN_PASSWORD)
    throw new Error(`The password must have at least ${MIN_PASSWORD} characters.`)
  return password
}

async function ask(): Promise<string> {
  // Then the terminal echoes nothing, and the output of readline is discarded.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output, terminal: true })
  process.stderr.write('Password (not shown): ')
  const password = await prompt.question('')
  prompt.close()
  process.stderr.write('\n')
  return password
}
