import type { Readable, Writable } from 'node:stream'
import { isCancel, select, text } from '@clack/prompts'
import { isLoopbackUrl } from '@grantkit/core/feature'
import { BASE_URL_FORM } from '../../config/address.ts'

/** What `grantkit init` asks. */
export interface Answers {
  readonly name: string
  /** The public address. */
  readonly url: string
  /** Where users sign in: in this server, or at a page of the application next to it. */
  readonly users: 'here' | { readonly application: string }
  readonly database: 'sqlite' | 'postgres'
  /** The API or MCP server that accepts the tokens. */
  readonly resource?: string | undefined
  /** Whether the default set of known clients may sign users in. */
  readonly knownClients: boolean
}

/** As options of the command line have them. */
export interface GivenAnswers {
  readonly name?: string | undefined
  readonly url?: string | undefined
  /** `here`, or the URL of the sign-in page of the application. */
  readonly users?: string | undefined
  readonly database?: string | undefined
  /** Empty: there is none yet. */
  readonly resource?: string | undefined
  /** `on` or `off`. */
  readonly 'known-clients'?: string | undefined
}

export const DEFAULTS = {
  name: 'My service',
  url: 'http://127.0.0.1:3000',
  users: 'here',
  database: 'sqlite',
  resource: '',
  'known-clients': 'on',
} as const satisfies GivenAnswers

const DATABASES = ['sqlite', 'postgres'] as const

/** What is wrong with an answer; `undefined` if nothing is. */
const PROBLEMS: Readonly<Record<keyof GivenAnswers, (answer: string) => string | undefined>> = {
  name: (name) => (name.trim() === '' ? 'must not be empty' : undefined),
  url: (url) =>
    BASE_URL_FORM.test(url) && isSafe(url)
      ? undefined
      : 'must be an https URL, or one of localhost, without a trailing slash',
  users: (users) =>
    users === 'here' || isSafe(users)
      ? undefined
      : 'must be here, or the https URL of the sign-in page of your application',
  database: (database) =>
    DATABASES.some((known) => known === database) ? undefined : 'must be sqlite or postgres',
  resource: (resource) =>
    resource === '' || (URL.canParse(resource) && /^https?:\/\/[^#\s]+$/.test(resource))
      ? undefined
      : 'must be a URL without a fragment, or empty',
  'known-clients': (choice) => (/^(on|off)$/.test(choice) ? undefined : 'must be on or off'),
}

/** @throws Error that names the option at fault, and the value */
export function checkAnswers(given: GivenAnswers): void {
  for (const [name, value] of Object.entries(given)) {
    const problem = value === undefined ? undefined : PROBLEMS[name as keyof GivenAnswers](value)
    if (problem !== undefined) throw new Error(`--${name} ${problem}, not ${JSON.stringify(value)}.`)
  }
}

/** Answers that have been checked, with the defaults for those that are left out. */
export function completed(given: GivenAnswers): Answers {
  const { name = DEFAULTS.name, url = DEFAULTS.url, users = DEFAULTS.users } = given
  return {
    name,
    url,
    users: users === 'here' ? users : { application: users },
    database: given.database === 'postgres' ? 'postgres' : 'sqlite',
    resource: given.resource || undefined,
    knownClients: (given['known-clients'] ?? DEFAULTS['known-clients']) === 'on',
  }
}

/** Where a start has no defaults for development. */
export function isPublic({ url }: Answers): boolean {
  return !isLoopbackUrl(url)
}

function isSafe(url: string): boolean {
  return URL.canParse(url) && (url.startsWith('https://') || isLoopbackUrl(url))
}

/** Where the questions are asked. Default: the terminal. */
export interface Terminal {
  readonly input?: Readable
  readonly output?: Writable
}

/** Asks for what the options left open. @throws Error if the user cancels */
export async function askFor(given: GivenAnswers, terminal: Terminal = {}): Promise<GivenAnswers> {
  const typed = (question: keyof GivenAnswers, message: string, placeholder: string = DEFAULTS[question]) =>
    askText(question, { message, placeholder, ...terminal })
  const name = given.name ?? (await typed('name', 'What is the name of your service?'))
  const url = given.url ?? (await typed('url', 'At which public address will the server run?'))
  const users = given.users ?? (await askUsers(terminal))
  const database = given.database ?? (await askDatabase(terminal))
  const resource =
    given.resource ??
    (await typed('resource', 'Which API or MCP server accepts the tokens? Empty: none yet', 'https://…'))
  const knownClients = given['known-clients'] ?? (await askKnownClients(terminal))
  return { name, url, users, database, resource, 'known-clients': knownClients }
}

interface Question extends Terminal {
  readonly message: string
  readonly placeholder: string
}

async function askText(name: keyof GivenAnswers, question: Question): Promise<string> {
  const defaultValue: string = DEFAULTS[name]
  return answerOf(
    await text({ ...question, defaultValue, validate: (answer) => PROBLEMS[name](answer || defaultValue) }),
  )
}

async function askUsers(terminal: Terminal): Promise<string> {
  const options = [
    { value: 'here', label: 'This server', hint: 'accounts with passwords and passkeys' },
    { value: 'application', label: 'An application next to it', hint: 'it has the users already' },
  ]
  const who = answerOf(await select({ message: 'Who signs users in?', options, ...terminal }))
  if (who === 'here') return who
  const validate = (answer = '') => (answer === 'here' ? 'must be a URL' : PROBLEMS.users(answer))
  const message = 'What is the URL of its sign-in page?'
  return answerOf(await text({ message, placeholder: 'https://…', validate, ...terminal }))
}

async function askDatabase(terminal: Terminal): Promise<string> {
  const options = [
    { value: 'sqlite', label: 'An SQLite file', hint: 'one host' },
    { value: 'postgres', label: 'Postgres', hint: 'many replicas' },
  ]
  return answerOf(await select({ message: 'Which database?', options, ...terminal }))
}

async function askKnownClients(terminal: Terminal): Promise<string> {
  const options = [
    { value: 'on', label: 'Yes', hint: 'grantkit clients known lists them' },
    { value: 'off', label: 'No', hint: 'only apps on the computer of the user, and those that you add' },
  ]
  const message = 'Let Claude, ChatGPT, Cursor and others sign in?'
  return answerOf(await select({ message, options, ...terminal }))
}

function answerOf<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isCancel(answer)) throw new Error('Cancelled. Nothing was written.')
  return answer as Exclude<Answer, symbol>
}
