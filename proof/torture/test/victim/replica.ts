import { randomUUID } from 'node:crypto'
import * as rules from './grant.ts'
import type { SlowStore } from './store.ts'

export interface Answer {
  readonly status: number
  readonly body?: object | undefined
  readonly location?: string | undefined
}

type Form = Readonly<Record<string, string>>
type Rule = (grant: rules.Grant) => rules.Outcome
type Kind = 'redeem' | 'poll' | 'refresh' | 'revoke' | 'other'

export interface Question {
  readonly path: string
  readonly form: Form
  readonly client: string | undefined
  readonly bearer: string | undefined
  readonly user: string | undefined
}

export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
/** How long caches of correct replicas last. */
const DECLARED_MS = 0
const DONE: Answer = { status: 200 }

/** One process of the victim: the endpoints on a store that it shares. */
export class Replica {
  readonly #store: SlowStore
  readonly #rules: rules.Rules
  readonly now: () => number
  readonly #guardCache = new Map<string, number>()
  readonly #introspectionCache = new Map<string, number>()

  constructor(store: SlowStore, how: rules.Rules, now: () => number) {
    this.#store = store
    this.#rules = how
    this.now = now
  }

  async answer({ path, form, client, bearer = '', user }: Question): Promise<Answer> {
    if (path === '/authorize') return this.#authorize(form, user)
    if (path === '/userinfo') return this.#use(bearer)
    if (path === '/logout')
      return this.#decide(form.id_token_hint, (grant) => rules.logOut(grant, this.#rules))
    if (path === '/deny') return this.#decide(form.code, (grant) => rules.deny(grant, this.#rules))
    if (path === '/device') return this.#decide(form.user_code, rules.approve)
    if (client === undefined) return { status: 401, body: { error: 'invalid_client' } }
    if (path === '/token') return this.#token(form, client)
    if (path === '/revoke') return this.#revoke(form.token ?? '', client)
    if (path === '/introspect') return this.#introspect(form.token ?? '')
    return path === '/device_authorization' ? this.#startDevice(form, client) : { status: 404 }
  }

  async #authorize(form: Form, user: string | undefined): Promise<Answer> {
    const to = new URL(form.redirect_uri ?? '')
    to.searchParams.set('state', form.state ?? '')
    if (user === undefined) to.searchParams.set('error', 'login_required')
    else to.searchParams.set('code', (await this.#newGrant(form, form.client_id ?? '')).secret)
    return { status: 302, location: to.href }
  }

  async #newGrant(form: Form, client: string, device?: Partial<rules.Grant>): Promise<rules.Grant> {
    const id = randomUUID()
    const codeMs = this.#rules.broken(12) ? 600_000 : this.#rules.codeMs
    const request = { client, scope: form.scope ?? '', challenge: form.code_challenge }
    const code = { secret: rules.secretOf(id, 'code'), secretExpires: this.now() + codeMs }
    const empty = { state: 'approved', live: [], spent: [], access: [] } as const
    const grant = { id, ...request, ...code, ...empty, ...device }
    await this.#store.insert(grant)
    return grant
  }

  async #startDevice(form: Form, client: string): Promise<Answer> {
    const user_code = randomUUID().slice(0, 8)
    const device = { state: 'pending', userCode: user_code, secretExpires: this.now() + 600_000 } as const
    const { secret: device_code } = await this.#newGrant(form, client, device)
    return { status: 200, body: { device_code, user_code, verification_uri: '/device', interval: 0 } }
  }

  async #token(form: Form, client: string): Promise<Answer> {
    const { grant_type: type = '', code = '', refresh_token: token = '', subject_token: subject = '' } = form
    const [now, how] = [this.now(), this.#rules]
    const redeem: Rule = (grant) => rules.redeem(grant, form.code_verifier, now, how)
    if (type === 'authorization_code') return this.#issue(code, client, 'redeem', redeem)
    const refresh: Rule = (grant) => rules.refresh(grant, token, form.scope, now, how)
    if (type === 'refresh_token') return this.#issue(token, client, 'refresh', refresh)
    const poll: Rule = (grant) => rules.poll(grant, now, how)
    if (type === DEVICE_CODE) return this.#issue(form.device_code ?? '', client, 'poll', poll)
    const exchange: Rule = (grant) => rules.exchange(grant, subject, now, how)
    if (type === EXCHANGE) return this.#issue(subject, client, 'other', exchange)
    return { status: 400, body: { error: 'unsupported_grant_type' } }
  }

  async #issue(key: string, client: string, kind: Kind, rule: Rule): Promise<Answer> {
    const own: Rule = (grant) => (grant.client === client ? rule(grant) : {})
    const { grant, pair, error = 'invalid_grant', replay } = await this.#change(key, kind, own)
    if (this.#rules.broken(11) && replay) this.#store.changeAll(rules.end)
    if (pair === undefined) return { status: 400, body: { error } }
    const tokens = { access_token: pair.access, ...(pair.refresh && { refresh_token: pair.refresh }) }
    const more = { id_token: `id.${key.split('.')[1]}.hint`, scope: grant?.scope, token_type: 'Bearer' }
    return { status: 200, body: { ...tokens, ...more, expires_in: this.#rules.accessMs / 1000 } }
  }

  /** Reads, decides and compares the version, until nobody wrote meanwhile. */
  async #change(key: string, kind: Kind, rule: Rule): Promise<rules.Outcome> {
    const { broken } = this.#rules
    for (;;) {
      const seen = await this.#store.read(key.split('.')[1] ?? '')
      const outcome = seen === undefined ? {} : rule(seen.grant)
      if (seen === undefined || outcome.grant === undefined) return outcome
      const how = { blind: false, unseen: false }
      if (broken(1) && kind === 'redeem') how.blind = true
      if (broken(2) && kind === 'refresh') how.blind = true
      if (broken(6) && kind === 'revoke') how.unseen = true
      if (broken(15) && kind === 'poll') how.blind = true
      if (await this.#store.replace(seen, outcome.grant, how)) return outcome
      if (broken(14)) throw new Error('The version is not the expected one')
    }
  }

  /** What a user decides, by a code, by the user code of a device, or by an ID token. */
  async #decide(what = '', decide: (grant: rules.Grant) => rules.Grant): Promise<Answer> {
    const key = this.#store.all().find(({ userCode }) => userCode === what)?.secret ?? what
    await this.#change(key, 'other', (grant) => ({ grant: decide(grant) }))
    return DONE
  }

  async #revoke(token: string, client: string): Promise<Answer> {
    const rule: Rule = (grant) => (grant.client === client ? { grant: rules.end(grant) } : {})
    const end = () => this.#change(token, 'revoke', rule)
    if (this.#rules.broken(7)) setTimeout(end, 30)
    else await end()
    return DONE
  }

  async #introspect(token: string): Promise<Answer> {
    const cacheMs = this.#rules.broken(20) ? 5_000 : DECLARED_MS
    return { status: 200, body: { active: await this.#isActive(token, this.#introspectionCache, cacheMs) } }
  }

  async #use(token: string): Promise<Answer> {
    const cacheMs = this.#rules.broken(8) ? 5_000 : DECLARED_MS
    const active = await this.#isActive(token, this.#guardCache, cacheMs)
    return active ? DONE : { status: 401, body: { error: 'invalid_token' } }
  }

  async #isActive(token: string, cache: Map<string, number>, cacheMs: number): Promise<boolean> {
    const since = cache.get(token)
    if (since !== undefined && Date.now() - since < cacheMs) return true
    const entry = await this.#store.read(token.split('.')[1] ?? '')
    const active = entry !== undefined && rules.isActive(entry.grant, token, this.now(), this.#rules)
    if (active) cache.set(token, Date.now())
    return active
  }
}
