import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'
import type { AccountDirectory, AccountEntry } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import { hashPassword } from '../accounts/passwords.ts'
import type { Service } from '../service.ts'
import type { Settings } from '../settings/settings.ts'
import { readCommandLine, refuse } from './command-line.ts'
import { fail, jsonText, plain } from './terminal.ts'
import { withService } from './with-service.ts'

/** Manages who can sign in. A password comes from standard input, never from a flag. */

const USAGE = `pnpm account add --email <address> --name <name>
pnpm account list                   [--json] a JSON line for each
pnpm account password <address>     a new one; it ends every session of the account
pnpm account disable <address>      ends its sessions and grants, and "enable" lets it sign in again
pnpm account enable <address>
pnpm account admin <address>        lets it use the operator's view at /admin; with --off, no more
pnpm account remove <address>       the same for ever; nothing but the id is kept

A password is asked for, or read from standard input. A running service notices at its next request.`
const LEAST_PASSWORD = 8
/** How many accounts are in memory at a time. */
const PAGE = 1000

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: {
    email: { type: 'string' },
    name: { type: 'string' },
    off: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const CHANGES: Readonly<
  Record<string, (service: Service, email: string, settings: Settings) => Promise<void>>
> = {
  password: async ({ accounts }, email) => {
    const password = await hashPassword(await readPassword())
    known(email, await accounts.setPassword(email, password))
    console.log(`${plain(email)} has a new password. Who was signed in with the old one is no more.`)
  },
  disable: async (service, email, settings) => {
    await endGrants(service, known(email, await service.accounts.setDisabled(email, true)), settings)
  },
  enable: async ({ accounts }, email) => {
    known(email, await accounts.setDisabled(email, false))
    console.log(`${plain(email)} can sign in again.`)
  },
  admin: async ({ accounts }, email) => {
    known(email, await accounts.setAdmin(email, !values.off))
    console.log(
      values.off
        ? `${plain(email)} is no admin any more.`
        : `${plain(email)} is an admin: /admin of the service.`,
    )
  },
  remove: async (service, email, settings) => {
    await endGrants(service, known(email, await service.accounts.remove(email)), settings)
  },
}

try {
  await run()
} catch (error) {
  fail(error)
}

async function run(): Promise<void> {
  const [command = '', address, ...more] = positionals
  const { email, name } = values
  const change = CHANGES[command]
  if (more.length > 0) refuse(USAGE, `There is one argument too many: ${more[0]}.`)
  if (values.off && command !== 'admin') refuse(USAGE, '--off goes with admin.')
  if (command === 'list') return withService(({ directory }) => printList(directory))
  if (command === 'add') {
    if (address !== undefined) refuse(USAGE, `There is one argument too many: ${address}.`)
    if (email === undefined || name === undefined) refuse(USAGE, '--email and --name must be given.')
    return withService(({ accounts }) => add(accounts, email, name))
  }
  if (change === undefined)
    refuse(USAGE, 'The command must be add, list, password, disable, enable, admin or remove.')
  if (address === undefined) refuse(USAGE, 'The e-mail address of the account must be given.')
  return withService((service, settings) => change(service, address, settings))
}

async function add(accounts: AccountRows, email: string, name: string): Promise<void> {
  const address = email.trim().toLowerCase()
  if (!/^[^\s@\0]+@[^\s@\0]+$/.test(address)) throw new Error(`${plain(email)} is not an e-mail address.`)
  const password = await hashPassword(await readPassword())
  const updated_at = Math.floor(Date.now() / 1000)
  const account = { id: randomUUID(), email: address, email_verified: false, name, updated_at, password }
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

function lineOf({ id, email, name, state, admin }: AccountEntry): string {
  const marks = `${state === 'disabled' ? '  disabled' : ''}${admin ? '  admin' : ''}`
  return `${id}  ${styleText('bold', plain(email))}  ${plain(name)}${marks}`
}

function known(email: string, id: string | undefined): string {
  if (id === undefined) throw new Error(`${plain(email)} has no account.`)
  return id
}

/** After the account: then no consent opens another grant. */
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
  if (password.length < LEAST_PASSWORD)
    throw new Error(`The password must have at least ${LEAST_PASSWORD} characters.`)
  return password
}

async function ask(): Promise<string> {
  // The terminal shows nothing by itself then, and what readline would show goes nowhere.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output, terminal: true })
  process.stderr.write('Password (not shown): ')
  const password = await prompt.question('')
  prompt.close()
  process.stderr.write('\n')
  return password
}
