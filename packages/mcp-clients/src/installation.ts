import { createHash, randomBytes } from 'node:crypto'
import { type Answer, overFetch, type Send, type Tokens } from '@grantkit/testkit/client'
import type { McpClient } from './mcp-client.ts'
import type { McpServerUnderTest } from './mcp-server-under-test.ts'
import { filledAddress, filledRequest } from './message.ts'

export type Members = Readonly<Record<string, unknown>>

/** A client on a user's machine. It sends its requests and keeps the responses, and checks none of them. */
export class Installation {
  readonly client: McpClient
  readonly server: McpServerUnderTest
  readonly #send: Send
  readonly #redirectUri: string
  readonly #known: Record<string, string> = {}
  #port = 49_152

  /** @param redirectUri the one of its list that it uses */
  constructor(client: McpClient, server: McpServerUnderTest, redirectUri = client.redirectUri) {
    this.client = client
    this.server = server
    this.#redirectUri = redirectUri
    this.#send = server.send ?? overFetch()
    const { resource, scope, tool } = server
    Object.assign(this.#known, { resource, scope, resource_metadata: this.resourceMetadataUrl })
    if (tool) Object.assign(this.#known, { tool: tool.name, arguments: JSON.stringify(tool.arguments) })
    this.restart()
  }

  get redirectUri(): string {
    return this.#known.redirect_uri ?? ''
  }

  /** The issuer that the resource names. */
  get issuer(): string {
    return this.#known.issuer ?? ''
  }

  /** RFC 9728 3.1. */
  get resourceMetadataUrl(): string {
    return wellKnown('oauth-protected-resource', this.server.resource)
  }

  /** Its next process listens on another port. */
  restart(): void {
    this.#port += 1
    const [redirect_uri = '', ...others] = [this.#redirectUri, ...(this.client.redirectUris ?? [])].map(
      (uri) => uri.replace('{port}', String(this.#port)),
    )
    Object.assign(this.#known, {
      redirect_uri,
      redirect_uris: JSON.stringify(others.length === 0 ? [redirect_uri] : others),
    })
  }

  async resourceMetadata(): Promise<Answer & Members> {
    const answer = await this.#ask(this.client.requests.resourceMetadata ?? 'GET {resource_metadata}')
    const { scopes_supported, authorization_servers } = answer
    const listed = list(scopes_supported).join(' ')
    Object.assign(this.#known, { scopes_supported: listed || this.server.scope, all_scopes: listed })
    this.#known.issuer = list(authorization_servers)[0] ?? ''
    return answer
  }

  /** RFC 8414 3.1. */
  async serverMetadata(): Promise<Answer & Members> {
    this.#known.server_metadata = wellKnown('oauth-authorization-server', this.#known.issuer ?? '')
    const answer = await this.#ask(this.client.requests.serverMetadata ?? 'GET {server_metadata}')
    const endpoints = Object.entries(answer).filter(([name]) => name.endsWith('_endpoint'))
    Object.assign(this.#known, Object.fromEntries(endpoints))
    this.#known.all_scopes ||= list(answer.scopes_supported).join(' ') || this.server.scope
    return answer
  }

  async register(): Promise<Answer & Members> {
    const answer = await this.#ask(this.client.requests.registration)
    this.#useCredentials(String(answer.client_id), answer.client_secret)
    return answer
  }

  /** Its operator adds it, and gives it the credentials. */
  async beAdded(): Promise<void> {
    const { client, server } = this
    if (server.add === undefined) throw new Error(`No operator adds ${client.name}`)
    const { redirectUri, redirectUris = [redirectUri] } = client
    const { clientId, clientSecret } = await server.add({ clientName: client.name, redirectUris })
    this.#useCredentials(clientId, clientSecret)
  }

  /** From now on it names its document as its id. */
  useDocument(): void {
    this.#known.client_id = String(this.client.document?.client_id)
  }

  /** Sends its user to the server. @param scope instead of the first requested one. @returns the response at its redirect URI */
  async authorize(scope?: string): Promise<{ readonly callback: URL; readonly state: string }> {
    const code_verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    // With characters that have to be encoded, as Visual Studio Code sends them.
    const state = `${randomBytes(16).toString('base64')}/+=`
    Object.assign(this.#known, { code_verifier, code_challenge, state })
    const wider = scope === undefined ? {} : { scope, scopes_supported: scope }
    const address = filledAddress(this.client.requests.authorization, { ...this.#known, ...wider })
    const callback = await this.server.browser(address)
    this.#known.code = callback.searchParams.get('code') ?? ''
    return { callback, state }
  }

  async redeem(): Promise<Answer & Partial<Tokens> & Members> {
    return this.#keepTokens(await this.#ask(this.client.requests.token))
  }

  /** @param refresh_token default: the last one it got */
  async refresh(refresh_token?: string): Promise<Answer & Partial<Tokens> & Members> {
    const other = refresh_token === undefined ? {} : { refresh_token }
    return this.#keepTokens(await this.#ask(this.client.requests.refresh, other))
  }

  /** Its first request, without a token. Most send their first message. */
  async probe(): Promise<Answer & Members> {
    const { probe, call } = this.client.requests
    return this.#ask(probe ?? call?.replace(/^authorization: .*\n/im, ''))
  }

  /** @param access_token default: the last one it got */
  async call(access_token?: string): Promise<Answer & Members> {
    return this.#ask(this.client.requests.call, access_token === undefined ? {} : { access_token })
  }

  async callTool(): Promise<Answer & Members> {
    return this.#ask(this.client.requests.toolCall)
  }

  async signOut(): Promise<readonly Answer[]> {
    return Promise.all((this.client.requests.revocation ?? []).map((message) => this.#ask(message)))
  }

  async #ask<Body extends Members>(
    message: string | undefined,
    instead: Record<string, string> = {},
  ): Promise<Answer & Body> {
    if (message === undefined) throw new Error(`No recorded request of ${this.client.name}`)
    const { url, request } = filledRequest(message, { ...this.#known, ...instead })
    const response = await this.#send(url, request)
    return { ...membersOf(response.body), status: response.status, response } as Answer & Body
  }

  /** RFC 6749 2.3.1. */
  #useCredentials(client_id: string, secret: unknown): void {
    const pair = [client_id, String(secret)].map(encodeURIComponent).join(':')
    Object.assign(this.#known, { client_id, basic_credentials: btoa(pair) })
  }

  #keepTokens(answer: Answer & Members): Answer & Partial<Tokens> & Members {
    const { access_token, refresh_token, scope: granted_scope } = answer
    if (answer.status === 200) Object.assign(this.#known, { access_token, refresh_token, granted_scope })
    return answer
  }
}

/** A body that is not JSON, such as a page, has none. */
function membersOf(body: string): Members {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

/** The path of an identifier goes behind the well-known one. */
function wellKnown(name: string, identifier: string): string {
  const { origin, pathname } = new URL(identifier)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : []
}
