import type { HttpResponse } from '@grantkit/core'
import {
  type Tokens as AllTokens,
  type Answer as AnswerOf,
  type Approval,
  type Browser,
  type TestClient,
  testClient,
} from '@grantkit/testkit/client'
import type { Tally } from './tally.ts'
import { type Connection, unlessLost } from './wire.ts'

const SCOPE = 'courses:read'
/** Slightly less than the retry window of the service: an older token may rightly be refused. */
const RETRY_MS = 50_000

type Tokens = Pick<AllTokens, 'access_token' | 'refresh_token'>
type Answer = AnswerOf & Partial<AllTokens>

/**
 * One installation of an app and its expectations. After a lost answer it acts as a good client does, and knows which
 * outcomes are correct.
 */
export class Installation {
  private readonly connection: Connection
  private readonly tally: Tally
  private readonly baseUrl: string
  private readonly browser: Browser
  private client: TestClient | undefined
  private tokens: Tokens | undefined
  /** The time when the first answer to the current refresh token was lost. */
  private lostAt: number | undefined
  private readonly over: string[] = []

  /** @param baseUrl the address for the pages and cookies of the service */
  constructor(connection: Connection, tally: Tally, browser: Browser, baseUrl: string) {
    this.connection = connection
    this.tally = tally
    this.browser = browser
    this.baseUrl = baseUrl
  }

  /** Starts as a new installation: the old tokens belong to the old client. */
  async register(): Promise<void> {
    this.tokens = undefined
    this.lostAt = undefined
    const { connection, browser } = this
    // An outage is counted where the request is sent; the old client is then kept.
    this.client = await testClient(this.baseUrl, { ...connection, browser }).catch(() => this.client)
  }

  /** Sends the user through sign-in and consent, and redeems the code. */
  async signIn(): Promise<void> {
    if (this.client === undefined) await this.register()
    const approval = await this.approve()
    if (approval === undefined) return
    const first = await this.redeem(approval)
    const answer = first ?? (await this.redeem(approval))
    if (isServed(answer)) this.hold(answer)
    else if (first === undefined) this.tally.setback('codes lost with an answer')
    else this.tally.fault('grants ended without cause', 'a code was refused when it was first presented')
  }

  /** Presents one code at several replicas at once. */
  async raceForCode(contenders: number): Promise<void> {
    const approval = await this.approve()
    if (approval === undefined) return
    const answers = await Promise.all(Array.from({ length: contenders }, () => this.redeem(approval)))
    const served = answers.filter(isServed)
    if (served.length > 1) this.tally.fault('double issues', `a code gave ${served.length} pairs`)
    // All others were replays, which end the grant (RFC 6749 4.1.2). Without any answer, the result is unknown.
    for (const answer of served) {
      if (answers.every((each) => each !== undefined && each.status !== 503)) this.end(tokensOf(answer))
    }
  }

  /** Presents one refresh token at several replicas at once, as the processes of one app do. */
  async refresh(contenders = 1): Promise<void> {
    const { client, tokens } = this
    if (client === undefined || tokens === undefined) return this.signIn()
    const answers = await Promise.all(
      Array.from({ length: contenders }, () => unlessLost(client.refresh(tokens.refresh_token))),
    )
    const served = answers.filter(isServed)
    const successors = new Set(served.map(({ refresh_token }) => refresh_token))
    if (successors.size > 1)
      this.tally.fault('double issues', `a refresh token gave ${successors.size} successors`)
    const [first] = served
    if (first) return this.hold(first)
    if (answers.some((answer) => answer?.status === 400)) this.refused()
    else this.lostAt ??= Date.now()
  }

  async call(): Promise<void> {
    const { tokens } = this
    if (tokens === undefined) return this.signIn()
    const answer = await this.courses(tokens.access_token)
    if (answer?.status === 401) this.tally.fault('live tokens refused', 'at the API')
    await this.callWithWhatIsOver()
  }

  async introspect(): Promise<void> {
    const { client, tokens } = this
    if (client === undefined || tokens === undefined) return this.signIn()
    const answer = await unlessLost(client.introspect(tokens.access_token))
    if (answer?.status === 200 && answer.active !== true)
      this.tally.fault('live tokens refused', 'at introspection')
  }

  /** Repeats the revocation until it is acknowledged: before that, its result is unknown. */
  async revoke(): Promise<void> {
    const { client, tokens } = this
    if (client === undefined || tokens === undefined) return
    this.tokens = undefined
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await unlessLost(client.revoke(tokens.refresh_token))
      if (answer?.status === 200) return this.end(tokens)
      await new Promise((later) => setTimeout(later, 100))
    }
  }

  /** Sends what a thief or a broken client sends; it must be refused, and harm nobody. */
  async attack(): Promise<void> {
    const [, grant = 'x'] = /^gkr_([^.]+)/.exec(this.tokens?.refresh_token ?? '') ?? []
    const guess = `gkr_${grant}.${'f'.repeat(22)}.1.${'s'.repeat(43)}`
    const answers: (HttpResponse | Answer | undefined)[] = [
      this.client && (await unlessLost(this.client.refresh(guess))),
      await this.courses(`gka_${grant}.${'s'.repeat(43)}`),
    ]
    if (answers.some((answer) => answer?.status === 200)) this.tally.fault('double issues', 'for a guess')
  }

  /** The other requests count an outage during the pages as a setback. */
  private async approve(): Promise<Approval | undefined> {
    return this.client?.approve(SCOPE).catch(() => undefined)
  }

  private async redeem(approval: Approval): Promise<Answer | undefined> {
    const answer = this.client && (await unlessLost(this.client.redeem(approval)))
    return answer?.status === 503 ? undefined : answer
  }

  private courses(token: string): Promise<HttpResponse | undefined> {
    const headers = { authorization: `Bearer ${token}` }
    return unlessLost(
      this.connection.send(`${this.baseUrl}/api/courses`, { method: 'GET', headers, body: '' }),
    )
  }

  private hold(answer: Answer): void {
    this.tokens = tokensOf(answer)
    this.lostAt = undefined
  }

  private refused(): void {
    const excused = this.lostAt !== undefined && Date.now() - this.lostAt > RETRY_MS
    if (excused) this.tally.setback('grants lost with an answer')
    else
      this.tally.fault(
        'grants ended without cause',
        `the client ${this.client?.clientId} was refused its refresh token`,
      )
    this.tokens = undefined
    this.lostAt = undefined
  }

  private end({ access_token, refresh_token }: Tokens): void {
    this.over.push(access_token, refresh_token)
  }

  private async callWithWhatIsOver(): Promise<void> {
    const token = this.over[Math.floor(Math.random() * this.over.length * 4)]
    if (token === undefined) return
    const answer = await this.courses(token)
    if (answer?.status === 200) this.tally.fault('tokens that came back', token.slice(0, 12))
  }
}

function isServed(answer: Answer | undefined): answer is Answer {
  return answer?.status === 200
}

function tokensOf({ access_token, refresh_token }: Answer): Tokens {
  return { access_token: String(access_token), refresh_token: String(refresh_token) }
}
