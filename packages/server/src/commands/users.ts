import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'
import { defineCommand } from 'citty'
import * as z from 'zod'
import type { AccountEntry } from '../accounts/account-directory.ts'
import { addressOf } from '../accounts/accounts.ts'
import type { UserSession } from '../accounts/sessions.ts'
import { ProfileClaims } from '../accounts/user-claims.ts'
import { everyItem } from '../database/lists.ts'
import type { ConfiguredService, LoadService } from '../definition.ts'
import type { Service } from '../service/service.ts'
import { importUsers } from './import-users.ts'
import { endedGrants, isoTime, plain, printList } from './terminal.ts'
import {
  emailSourceOf,
  namedAccount,
  trustedAccount,
  userArgument as user,
  withService,
} from './with-service.ts'

/** How many accounts are in memory at a time. */
const PAGE = 1000

/** Manages who can sign in. A running service notices at its next request. */
export const users = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Manages who can sign in. A running service notices at its next request' },
    subCommands: {
      add: addUser(load),
      import: importUsers(load),
      list: list(load),
      password: change(load, 'Sets a new password, and ends every session', setPassword),
      enrol: change(load, 'A link with which the user adds a passkey, in place of a lost one', enrol),
      sessions: sessions(load),
      'sign-out': signOut(load),
      disable: change(load, 'Ends sessions and grants; "enable" lets the user sign in again', end('disable')),
      enable: change(load, 'Lets a disabled user sign in again', enable),
      admin: admin(load),
      remove: change(load, 'As disable, but for ever: nothing but the id is kept', end('remove')),
    },
  })

type Change = (service: Service, user: string, configured: ConfiguredService) => Promise<void>

/** What lets a user do more takes the address only if an operator added it: see `trustedAccount`. */
const change = (load: LoadService, description: string, work: Change) =>
  defineCommand({
    meta: { description },
    args: { user },
    run: async ({ args }) => {
      const configured = await load()
      await withService(configured, (service) => work(service, args.user, configured))
    },
  })

const setPassword: Change = async ({ operator: { users }, directory }, user) => {
  // Before the password is asked for.
  users.requireOwn()
  const { id } = await trustedAccount(directory, user)
  const { email } = await users.setPassword(id, await readPassword())
  console.log(`${plain(email)} has a new password. Every session of the account has ended.`)
}

const enrol: Change = async ({ operator: { users }, directory }, user) => {
  const { id } = await trustedAccount(directory, user)
  console.log(await users.enrol(id))
  console.error(
    'Give this link to the user alone: whoever opens it adds a passkey. It is valid for 24 hours, and once.',
  )
}

const signOut = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends every session' },
    args: {
      user,
      session: { type: 'string', valueHint: 'id', description: 'ends only this one of `users sessions`' },
    },
    run: async ({ args: { user, session } }) => {
      const configured = await load()
      await withService(configured, async ({ operator: { users }, directory }) => {
        const { id } = await namedAccount(directory, user)
        await (session === undefined ? users.endSessions(id) : users.endSession(id, session))
        const apps = configured.config.features.backChannelLogout
          ? ' Apps hear of it within two minutes.'
          : ''
        const where = session === undefined ? 'every browser' : 'that browser'
        console.log(`${plain(user)} is signed out in ${where}.${apps}`)
      })
    },
  })

const enable: Change = async ({ operator: { users }, directory }, user) => {
  await users.enable((await trustedAccount(directory, user)).id)
  console.log(`${plain(user)} can sign in again.`)
}

/** Disables or removes an account, with its grants. */
const end = (verb: 'disable' | 'remove'): Change => {
  return async ({ operator: { users }, directory }, user, { config }) => {
    const { id } = await namedAccount(directory, user)
    console.log(`Done. ${endedGrants(await users[verb](id))} with it.`)
    if (config.store === 'memory:')
      console.log(
        'A service on the store memory: refreshes nothing for it; an access token lives out its hour.',
      )
  }
}

const admin = (load: LoadService) =>
  defineCommand({
    meta: { description: "Lets a user use the operator's view at /admin" },
    args: { user, off: { type: 'boolean', description: 'takes it back' } },
    run: async ({ args: { user, off = false } }) =>
      withService(await load(), async ({ operator: { users }, directory }) => {
        const account = await (off ? namedAccount : trustedAccount)(directory, user)
        await (off ? users.removeAdmin : users.addAdmin)(account.id)
        if (off) return console.log(`${plain(user)} is no admin any more.`)
        console.log(
          `${plain(user)} is an admin after a new sign-in: /admin of the service.${account.email === undefined ? '' : `\n${emailSourceOf(account)}.`}`,
        )
      }),
  })

const list = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Every account' },
    args: { json: { type: 'boolean', description: 'prints a JSON line for each' } },
    run: async ({ args: { json } }) =>
      withService(await load(), ({ directory }) =>
        printList(
          everyItem((after) => directory.page({ after }, PAGE)),
          json,
          lineOf,
          'There are no accounts.',
        ),
      ),
  })

const sessions = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Where a user is signed in, the newest first' },
    args: { user, json: { type: 'boolean', description: 'prints a JSON line for each' } },
    run: async ({ args }) =>
      withService(await load(), async ({ operator, directory }) => {
        const found = await operator.users.sessions((await namedAccount(directory, args.user)).id)
        await printList(
          found.map(shownSession),
          args.json,
          lineOfSession,
          `${plain(args.user)} is signed in nowhere.`,
        )
      }),
  })

function shownSession({ id, startedAt, usedAt, signedInBy, device, network }: UserSession) {
  return { id, startedAt: isoTime(startedAt), usedAt: isoTime(usedAt), signedInBy, device, network }
}

function lineOfSession(session: ReturnType<typeof shownSession>): string {
  return Object.values(session).join('  ')
}

function lineOf(account: AccountEntry): string {
  const { id, email, name, state, admin, emailSource } = account
  const source = email === undefined || emailSource === 'operator' ? '' : `  (${emailSourceOf(account)})`
  const marks = `${state === 'disabled' ? '  disabled' : ''}${admin ? '  admin' : ''}${source}`
  return `${id}  ${styleText('bold', email === undefined ? 'no address' : plain(email))}  ${plain(name)}${marks}`
}

const CLAIMS = Object.keys(ProfileClaims.shape).map((claim) => [claim, claim.replaceAll('_', '-')] as const)
const claimOptions = Object.fromEntries(
  CLAIMS.map(([, option]) => [option, { type: 'string', valueHint: 'value' } as const]),
)

/** Adds a user who signs in with a password. */
const addUser = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Adds a user. The password is asked for, or read from standard input' },
    args: {
      email: { type: 'string', required: true, valueHint: 'address' },
      name: { type: 'string', required: true },
      'email-verified': { type: 'boolean', description: 'the address is known to belong to the user' },
      ...claimOptions,
    },
    run: async ({ args }) =>
      withService(await load(), async ({ operator: { users } }) => {
        users.requireOwn()
        const { user } = await users.add(await newUserOf(args.email, args.name, args))
        console.log(`${plain(user.email)} can sign in.`)
      }),
  })

async function newUserOf(typed: string, name: string, options: Readonly<Record<string, unknown>>) {
  const email = addressOf(typed)
  if (!/^[^\s@\0]+@[^\s@\0]+$/.test(email)) throw new Error(`${plain(typed)} is not an e-mail address.`)
  const claims = ProfileClaims.safeParse(
    Object.fromEntries(CLAIMS.map(([claim, option]) => [claim, options[option]])),
  )
  if (!claims.success) throw new Error(z.prettifyError(claims.error))
  const email_verified = options['email-verified'] === true
  return { ...claims.data, email, email_verified, name, password: await readPassword() }
}

/** A new password from standard input, never from an option: other users of the machine see the arguments of programs. */
async function readPassword(): Promise<string> {
  return process.stdin.isTTY ? ask() : (await text(process.stdin)).replace(/\r?\n$/, '')
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
