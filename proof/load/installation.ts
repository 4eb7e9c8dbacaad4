import {
  type Tokens as AllTokens,
  type Answer as AnswerOf,
  type Approval,
  type Browser,
  type TestClient,
  testClient,
} from '@grantkit/testkit/client'
import type { Act, History } from './history.ts'
import type { Tally } from './tally.ts'
import { type Connection, unlessLost } from './wire.ts'

const SCOPE = 'courses:read'

type Tokens = Pick<AllTokens, 'access_token' | 'refresh_token'>
type Answer = AnswerOf & Partial<AllTokens>

interface Held extends Tokens {
  readonly family: string
}

interface Approved {
  readonly approval: Approval
  readonly family: string
}

/** One installation of an app. After a lost answer it acts as a good client does. The history says what was correct. */
export class Installation {
  private readonly connection: Connection
  private readonly history: History
  private readonly baseUrl: string
  private readonly browser: Browser
  private client: TestClient | undefined
  private tokens: Held | undefined
  private readonly over: Held[] = []

  /** @param baseUrl the address for the pages and cookies of the service */
  constructor(connection: Connection, { history }: Tally, browser: Browser, baseUrl: string) {
    this.connection = connection
    this.history = history
    this.browser = browser
    this.baseUrl = baseUrl
  }

  /** Starts as a new installation: the old tokens belong to the old client. */
  async register(): Promise<void> {
    this.tokens = undefined
    const { connection, browser } = this
    // An outage is counted where the request is sent; the old client is then kept.
    this.client = await testClient(this.baseUrl, { ...connection, browser }).catch(() => this.client)
  }

  /** Sends the user through sign-in and consent, and redeems the code. */
  async signIn(): Promise<void> {
    if (this.client === undefined) await this.register()
    const approved = await this.approve()
    if (approved === undefined) return
    const answer = (await this.redeem(approved)) ?? (await this.redeem(approved))
    if (isServed(answer)) this.tokens = heldOf(answer, approved.family)
  }

  /** Presents one code at several replicas at once, and once more when one of them is redeemed: that ends the grant. */
  async raceForCode(contenders: number): Promise<void> {
    const approved = await this.approve()
    if (approved === undefined) return
    const each = (_: unknown, contender: number) => this.redeem(approved, `app-${contender}`)
    const answers = await Promise.all(Array.from({ length: contenders }, each))
    await this.redeem(approved)
    for (const answer of answers.filter(isServed)) this.over.push(heldOf(answer, approved.family))
  }

  /** Presents one refresh token at several replicas at once, as the processes of one app do. */
  async refresh(contenders = 1): Promise<void> {
    const { client, tokens } = this
    if (client === undefined || tokens === undefined) return this.signIn()
    const { family, refresh_token } = tokens
    const answers = await Promise.all(
      Array.from({ length: contenders }, (_, contender) =>
        this.send('refresh', { family, credential: refresh_token, process: `app-${contender}` }, () =>
          client.refresh(refresh_token),
        ),
      ),
    )
    const [first] = answers.filter(isServed)
    if (first) this.tokens = heldOf(first, family)
    else if (answers.some((answer) => answer?.status === 400)) this.tokens = undefined
  }

  async call(): Promise<void> {
    const { tokens } = this
    if (tokens === undefined) return this.signIn()
    await this.courses(tokens)
    const over = this.over[Math.floor(Math.random() * this.over.length * 4)]
    if (over !== undefined) await this.courses(over)
  }

  async introspect(): Promise<void> {
    const { client, tokens } = this
    if (client === undefined || tokens === undefined) return this.signIn()
    const { family, access_token } = tokens
    await this.send('introspect', { family, credential: access_token }, () => client.introspect(access_token))
  }

  /** Repeats the revocation until it is acknowledged: before that, its result is unknown. */
  async revoke(): Promise<void> {
    const { client, tokens } = this
    if (client === undefined || tokens === undefined) return
    this.tokens = undefined
    const { family, refresh_token } = tokens
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await this.send('revoke', { family, credential: refresh_token }, () =>
        client.revoke(refresh_token),
      )
      if (answer?.status === 200) return void this.over.push(tokens)
      await new Promise((later) => setTimeout(later, 100))
    }
  }

  /** Sends what a thief or a broken client sends; it must be refused, and harm nobody. */
  async attack(): Promise<void> {
    const [, grant = 'x'] = /^gkr_([^.]+)/.exec(this.tokens?.refresh_token ?? '') ?? []
    const guess = `gkr_${grant}.${'f'.repeat(22)}.1.${'s'.repeat(43)}`
    const thief = { family: 'guesses', process: 'thief', forbidden: 'a guess' }
    const { client } = this
    if (client) await this.send('refresh', { ...thief, credential: guess }, () => client.refresh(guess))
    await this.courses({ access_token: `gka_${grant}.${'s'.repeat(43)}`, ...thief })
  }

  /** The other requests count an outage during the pages as a setback. */
  private async approve(): Promise<Approved | undefined> {
    const approval = await this.client?.approve(SCOPE).catch(() => undefined)
    if (approval === undefined) return undefined
    const approved = { approval, family: this.history.newFamily() }
    await this.history.record({ ...codeOf(approved), f: 'approve', process: 'user' }, async () => ({
      status: 200,
    }))
    return approved
  }

  private async redeem(approved: Approved, process = 'app'): Promise<Answer | undefined> {
    const { client } = this
    if (client === undefined) return undefined
    const answer = await this.send('redeem', { ...codeOf(approved), process }, () =>
      client.redeem(approved.approval),
    )
    return answer?.status === 503 ? undefined : answer
  }

  private async courses(
    token: Omit<Act, 'f' | 'process'> & Partial<Act> & Pick<Tokens, 'access_token'>,
  ): Promise<void> {
    const { access_token, family, process, forbidden } = token
    const headers = { authorization: `Bearer ${access_token}` }
    const url = `${this.baseUrl}/api/courses`
    await this.send('use', { family, process, forbidden, credential: access_token }, () =>
      this.connection.send(url, { method: 'GET', headers, body: '' }),
    )
  }

  private send<A extends { readonly status: number }>(
    f: Act['f'],
    act: Omit<Act, 'f' | 'process'> & { readonly process?: string | undefined },
    request: () => Promise<A>,
  ): Promise<A | undefined> {
    return this.history.record({ ...act, f, process: act.process ?? 'app' }, () => unlessLost(request()))
  }
}

/** A family has one code. */
function codeOf({ family }: Approved): Pick<Act, 'family' | 'credential'> {
  return { family, credential: `code of ${family}` }
}

function isServed(answer: Answer | undefined): answer is Answer {
  return answer?.status === 200
}

function heldOf({ access_token, refresh_token }: Answer, family: string): Held {
  return { access_token: String(access_token), refresh_token: String(refresh_token), family }
}
