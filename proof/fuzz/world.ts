import { App, CHALLENGE, VERIFIER } from '@grantkit/reference/test/security/app'
import { type Bench, cookieOf } from '@grantkit/reference/test/security/bench'
import type { Answer } from '@grantkit/reference/test/security/wire'
import { formOfPage } from '@grantkit/testkit/client'
import type { Credentials } from './bytes.ts'

interface Apps {
  readonly mine: App
  readonly confidential: App
  readonly other: App
}

/** Two users with an app each, and a confidential client: the owners of own and of stolen credentials. */
export class World {
  readonly #bench: Bench
  readonly #apps: Apps
  credentials: Credentials = {}
  /** All secrets ever issued, without those that somebody has published since. */
  readonly secrets = new Set<string>()
  readonly #published = new Set<string>()

  private constructor(bench: Bench, apps: Apps) {
    this.#bench = bench
    this.#apps = apps
  }

  static async begin(bench: Bench): Promise<World> {
    const mine = await App.register(bench, { client_name: 'Mine' })
    const confidential = await App.register(bench, { token_endpoint_auth_method: 'client_secret_post' })
    const other = await App.register(bench, { client_name: 'Theirs' }, 'bob')
    const world = new World(bench, { mine, confidential, other })
    await world.renew()
    return world
  }

  /** A secret written into a record of the school is visible to its readers. */
  forgetPublished(request: Buffer, { status }: Answer): void {
    const [head = '', ...body] = request.toString().split('\r\n\r\n')
    if (status >= 300 || !/\/api\/(?!oauth\/)/i.test(head.slice(0, 200))) return
    const written = body.join('\r\n\r\n')
    for (const secret of this.secrets) if (written.includes(secret)) this.#published.add(secret)
    for (const secret of this.#published) this.secrets.delete(secret)
  }

  /** Renews the credentials, because successful requests use them up. */
  async renew(): Promise<void> {
    const { mine, confidential, other } = this.#apps
    const scope = 'openid profile email courses:read courses:write'
    const [tokens, spare] = [await mine.tokens({ scope }), await mine.tokens()]
    const refreshable = await confidential.tokens()
    const their = { scope: 'openid profile email students:read' }
    const theirs = await other.tokens(their)
    const page = await this.#bench.send('/login')
    const { session, ticket } = await this.#visit(mine.query({ nonce: 'n-4711' }))
    const own = {
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token,
      id_token: tokens.id_token,
      spare_token: spare.access_token,
      code: await mine.code(),
      session,
      confidential_refresh_token: refreshable.refresh_token,
      confidential_secret: confidential.secret ?? '',
      other_token: theirs.access_token,
      other_refresh_token: theirs.refresh_token,
      other_code: await other.code(their),
    }
    for (const secret of Object.values(own)) if (!this.#published.has(secret)) this.secrets.add(secret)
    this.credentials = {
      ...own,
      base: this.#bench.base,
      client_id: mine.id,
      redirect_uri: mine.redirectUri,
      challenge: CHALLENGE,
      verifier: VERIFIER,
      confidential_id: confidential.id,
      other_client_id: other.id,
      ticket,
      sign_in_token: /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? '',
      sign_in_cookie: cookieOf(page),
    }
  }
  /** A session apart from that of the apps, since requests may sign it out, and the ticket of its consent form. */
  async #visit(query: string): Promise<{ readonly session: string; readonly ticket: string }> {
    const ask = (session: string) =>
      this.#bench.send(`/oauth/authorize?${query}`, { headers: [['Cookie', session]] })
    const kept = this.credentials.session ?? ''
    const page = await ask(kept)
    if (page.status === 200) return { session: kept, ticket: ticketOn(page) }
    const session = await this.#bench.signIn('alice', this.#bench.passwordOf('alice'))
    return { session, ticket: ticketOn(await ask(session)) }
  }
}

function ticketOn(page: Answer): string {
  return formOfPage(page).fields[0]?.[1] ?? ''
}
