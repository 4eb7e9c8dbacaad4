import type { Answer } from '../history/read-answer.ts'
import type { Act, Action, AppPlan } from '../plan/plan.ts'
import {
  apiRequest,
  exchangeRequest,
  introspectionRequest,
  refreshRequest,
  revocationRequest,
} from '../service/messages.ts'
import type { Sent } from '../service/network.ts'
import { LIFETIMES, SCOPE } from '../service/service.ts'
import { FirstTokens, processName } from './first-tokens.ts'
import type { Stage } from './stage.ts'
import { Thief } from './thief.ts'
import { TokenStorage } from './token-storage.ts'
import { User } from './user.ts'

/** An app sends a refresh token no longer than this after the first time (docs/adr/0070), in milliseconds. */
const GIVE_UP_MS = (LIFETIMES.refreshRetryWindow - 4 - 10) * 1000

/** An honest app: it does what the documentation says, in two processes that share their tokens. */
export class App {
  readonly #name: string
  readonly #stage: Stage
  readonly #user: User
  readonly #thief: Thief
  readonly #subject: string
  readonly #first: FirstTokens
  readonly #tokens = new TokenStorage()

  constructor(name: string, subject: string, stage: Stage) {
    this.#name = name
    this.#stage = stage
    this.#user = new User(subject, stage)
    this.#thief = new Thief(name, stage)
    this.#subject = subject
    const parts = { name, stage, user: this.#user, thief: this.#thief, tokens: this.#tokens }
    this.#first = new FirstTokens(parts)
  }

  async run(plan: AppPlan): Promise<void> {
    const { startsAt, actions, openid = false } = plan
    const scope = openid ? `openid ${SCOPE}` : SCOPE
    await this.#stage.time.sleep(startsAt)
    // A code whose answer was lost may have been used: the user approves once more.
    for (let attempt = 1; attempt <= 2; attempt++) {
      const family = `${this.#name}.${attempt}`
      this.#stage.history.begin(family, this.#subject)
      if (!(await this.#first.get(family, plan.redemption, scope))) return
      if (this.#tokens.refresh === undefined) continue
      const ofProcess = (process: number) => actions.filter((action) => action.process === process)
      await Promise.all([0, 1].map((process) => this.#act(family, ofProcess(process))))
      return
    }
  }

  async #act(family: string, actions: readonly Action[]): Promise<void> {
    for (const { act, wait, process } of actions) {
      await this.#stage.time.sleep(wait)
      await this.#do(act, family, this.#nameOf(process))
    }
  }

  async #do(act: Act, family: string, process: string): Promise<unknown> {
    const { clients } = this.#stage
    const { refresh, exchanged } = this.#tokens
    const access = this.#anyAccessToken()
    const sender = { family, process }
    switch (act) {
      case 'refresh':
        return this.#refresh(family, process)
      case 'use':
        return this.#send('use', access, apiRequest, sender)
      case 'useExchanged':
        return this.#send('use', exchanged, apiRequest, sender)
      case 'introspect':
        return this.#send('introspect', access, (token) => introspectionRequest(clients, token), sender)
      case 'revokeAccess':
        return this.#send('revoke', access, (token) => revocationRequest(clients, token), sender)
      case 'revoke':
        return this.#send('revoke', refresh, (token) => revocationRequest(clients, token), sender)
      case 'raceRevoke':
        return Promise.all([this.#refresh(family, process), this.#do('revoke', family, process)])
      case 'exchange':
        return this.#exchange(access, sender)
      case 'endByUser':
        return refresh && this.#user.endGrant(family, refresh)
      case 'signOutEverywhere':
        return this.#user.signOutEverywhere()
      case 'raceSignOut':
        return Promise.all([this.#refresh(family, process), this.#user.signOutEverywhere()])
      case 'stealRefresh':
        return this.#thief.copy(refresh)
      case 'thiefRefreshes':
        return this.#thief.refresh(family)
      case 'thiefReturns':
        return this.#thiefReturns(family, process)
    }
  }

  async #send(
    f: Sent['f'],
    key: string | undefined,
    request: (token: string) => Sent['request'],
    sender: Pick<Sent, 'family' | 'process'>,
  ): Promise<Answer | undefined> {
    if (key === undefined) return undefined
    return this.#stage.network.send({ ...sender, f, key, request: request(key) })
  }

  async #exchange(access: string | undefined, sender: Pick<Sent, 'family' | 'process'>): Promise<void> {
    const { clients } = this.#stage
    const answer = await this.#send('exchange', access, (token) => exchangeRequest(clients, token), sender)
    this.#tokens.exchanged = answer?.tokens.access ?? this.#tokens.exchanged
  }

  async #thiefReturns(family: string, process: string): Promise<void> {
    const { time, random } = this.#stage
    this.#thief.copy(this.#tokens.refresh)
    await this.#refresh(family, process)
    await this.#refresh(family, process)
    await time.sleep(random.between(60_000, 200_000))
    await this.#thief.refresh(family)
    await this.#refresh(family, process)
  }

  /** As the documentation says: the token is read right before it is sent, and no retry follows once its time is over. */
  async #refresh(family: string, process: string): Promise<void> {
    const { time, random, network, clients } = this.#stage
    const key = this.#tokens.refresh
    if (key === undefined) return
    const first = this.#tokens.firstSent(key, time.now)
    while (time.now - first <= GIVE_UP_MS && this.#tokens.refresh === key) {
      const request = refreshRequest(clients, key)
      const answer = await network.send({ process, f: 'refresh', family, key, request })
      if (answer !== undefined) this.#tokens.keep(answer.tokens)
      if (answer !== undefined && answer.status < 500) return
      await time.sleep(random.between(200, 2000))
    }
  }

  /** Most often the newest. */
  #anyAccessToken(): string | undefined {
    const { random } = this.#stage
    const { accessTokens } = this.#tokens
    return random.chance(0.7) || accessTokens.length === 0 ? accessTokens[0] : random.pick(accessTokens)
  }

  #nameOf(process: number): string {
    return processName(this.#name, process)
  }
}
