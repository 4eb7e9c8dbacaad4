import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { logObservers } from '@grantkit/server'
import { quickHash } from '@grantkit/test-servers/quick-hash'
import {
  type ClientRequest,
  type ConnectionOptions,
  type Endpoints,
  type Fields,
  formEncoded,
} from '@grantkit/testkit/client'
import { pino } from 'pino'
import { writeAccounts } from '../accounts-file.ts'
import { type NewStorage, newStorage, type StorageKind, storageUnderTest } from '../new-storage.ts'
import { type RunningService, runService } from '../service.ts'
import { faultyStore, type StoreFault } from './faulty-store.ts'
import { type Answer, send, type WireRequest } from './wire.ts'

/** Passwords are secrets too, so they must appear nowhere. */
const PASSWORDS = { alice: randomBytes(12).toString('hex'), bob: randomBytes(12).toString('hex') }
export type Person = keyof typeof PASSWORDS
const HASHES = { alice: quickHash(PASSWORDS.alice), bob: quickHash(PASSWORDS.bob) }

/** The service on one store, with all its requests and answers. */
export class Bench {
  readonly #kind: StorageKind
  /** A fault that replaces an operation of the store. */
  fault: StoreFault | undefined
  /** Set by a test that makes the service fail; otherwise a failure fails the test. */
  failuresExpected = false
  #storage: NewStorage | undefined
  #service: RunningService | undefined
  #endpoints: Endpoints | undefined
  readonly #secrets = new Set<string>(Object.values(PASSWORDS))
  readonly #unexpectedFailures: string[] = []
  readonly #sessions = new Map<Person, Promise<string>>()

  constructor(kind = storageUnderTest) {
    this.#kind = kind
  }

  get service(): RunningService {
    if (this.#service === undefined) throw new Error('The service is not started yet')
    return this.#service
  }

  get base(): string {
    return this.service.baseUrl
  }

  readonly #onUnhandled = (reason: unknown) =>
    void this.#unexpectedFailures.push(`unhandled: ${inspect(reason)}`)

  async start(environment: Record<string, string>): Promise<void> {
    process.on('unhandledRejection', this.#onUnhandled)
    const folder = await mkdtemp(join(tmpdir(), 'grantkit-security-'))
    const accounts = join(folder, 'accounts.json')
    await writeAccounts(accounts, (['alice', 'bob'] as const).map(account))
    this.#storage = await newStorage(this.#kind)
    this.#service = await runService(
      { ACCOUNTS_FILE: accounts, ...this.#storage.environment, RATE_LIMITS: 'off', ...environment },
      (store) => faultyStore(store, () => this.fault),
    )
    this.#endpoints = JSON.parse((await this.send('/.well-known/oauth-authorization-server')).body)
    await rm(folder, { recursive: true })
  }

  async stop(): Promise<void> {
    await this.service.close()
    await this.#storage?.close()
    process.off('unhandledRejection', this.#onUnhandled)
  }

  /** From now on the secret must not appear in a response to another caller, or in the log. */
  keepSecret(secret: string): string {
    if (secret.length >= 16) this.#secrets.add(secret)
    return secret
  }

  async send(target: string, request: WireRequest = {}): Promise<Answer> {
    return this.#heard(target, await send(this.service.port, target, request))
  }

  post(target: string, fields: Fields, headers: WireRequest['headers'] = []): Promise<Answer> {
    const type = ['Content-Type', 'application/x-www-form-urlencoded'] as const
    return this.send(target, { method: 'POST', headers: [type, ...headers], body: formEncoded(fields) })
  }

  /** Connects a test client of a user to the service, byte by byte. */
  async browser(
    person: Person,
  ): Promise<Required<ConnectionOptions<Answer>> & { browser: { cookie: string } }> {
    if (this.#endpoints === undefined) throw new Error('The service is not started yet')
    const send = (url: string, { method, headers, body }: ClientRequest) => {
      const lines = Object.entries(headers) as [string, string][]
      const content = method === 'GET' ? {} : { body }
      return this.send(url.slice(new URL(url).origin.length), { method, headers: lines, ...content })
    }
    return { send, endpoints: this.#endpoints, browser: { cookie: await this.session(person) } }
  }

  /** Registers the tokens in an answer as secrets. */
  keepTokens(answer: Answer): Answer {
    if (answer.status !== 200) return answer
    const { access_token, refresh_token, id_token } = answer.json()
    for (const token of [access_token, refresh_token, id_token])
      if (token !== undefined) this.keepSecret(String(token))
    return answer
  }

  /** The session cookie of this user. */
  session(person: Person): Promise<string> {
    const known = this.#sessions.get(person) ?? this.signIn(person, PASSWORDS[person])
    this.#sessions.set(person, known)
    return known
  }

  async signIn(person: Person, password: string): Promise<string> {
    const page = await this.send('/login')
    const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const cookie = cookieOf(page)
    const fields = { token, return_to: '/', email: `${person}@school.example`, password }
    const answer = await this.post('/login', fields, [['Cookie', cookie]])
    if (answer.status !== 303) throw new Error(`${person} could not sign in: ${answer.status}`)
    const cookies = cookieOf(answer)
    this.keepSecret(cookies.split('=')[1] ?? '')
    return cookies
  }

  passwordOf(person: Person): string {
    return PASSWORDS[person]
  }

  /** Failures since the last call; normally none. */
  unexpectedFailures(): string[] {
    const { events, errors } = this.service
    const lines: string[] = []
    const log = pino({ level: 'trace', base: null }, { write: (line) => void lines.push(line) })
    // Each with its own log, which has every failure.
    for (const event of events) logObservers(log).onEvent(event)
    const output = lines.join('') + errors.map((error) => String((error as Error).stack)).join('')
    const logged = [...this.#secrets].filter((secret) => output.includes(secret))
    const failed = [...events.filter(({ type }) => type === 'failed'), ...errors].map((failure) =>
      inspect(failure),
    )
    const failures = this.failuresExpected ? [] : failed
    this.failuresExpected = false
    events.length = 0
    errors.length = 0
    return [
      ...this.#unexpectedFailures.splice(0),
      ...logged.map((secret) => `the log shows ${secret}`),
      ...failures,
    ]
  }

  #heard(target: string, answer: Answer): Answer {
    // Tokens belong in the token response, and a page repeats the query that led to it.
    const own = answer.status === 200 && target.startsWith('/api/oauth/token')
    const foreign = [...this.#secrets].filter((secret) => !target.includes(secret))
    const leak = own ? undefined : foreign.find((secret) => answer.body.includes(secret))
    if (leak !== undefined) this.#unexpectedFailures.push(`${target.slice(0, 100)} shows ${leak}`)
    const allowed = this.failuresExpected ? [500, 503] : [503]
    if (answer.status >= 500 && !allowed.includes(answer.status))
      this.#unexpectedFailures.push(`${target}: ${answer.status} ${answer.body}`)
    if (/node_modules|\n\s+at \S|\.[jt]s:\d/.test(answer.body))
      this.#unexpectedFailures.push(`${target.slice(0, 100)} shows a stack: ${answer.body}`)
    return answer
  }
}

function account(name: Person) {
  const claims = { id: `${name}-id`, email: `${name}@school.example`, name, updated_at: 1_767_225_600 }
  return { ...claims, email_verified: true, password: HASHES[name] }
}

export function cookieOf(answer: Answer): string {
  const set = answer.lines.filter(([name]) => name === 'set-cookie').map(([, value]) => value.split(';')[0])
  return set.filter((pair) => !pair?.endsWith('=')).join('; ')
}
