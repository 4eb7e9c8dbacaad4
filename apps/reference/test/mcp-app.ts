import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { user } from './user.ts'

/** What an app keeps for the OAuth client of the SDK, in either version. Its browser is the user of the tests. */
export class McpApp implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:49300/callback'
  readonly clientMetadata = { client_name: 'SDK client', redirect_uris: [this.redirectUrl] }
  readonly clientMetadataUrl?: string
  callback = new URLSearchParams()
  readonly #browser: ReturnType<typeof user>
  #client: OAuthClientInformationMixed | undefined
  #tokens: OAuthTokens | undefined
  #discovery: OAuthDiscoveryState | undefined
  #verifier = ''

  /**
   * @param documentUrl the address of its document, if it publishes one; else it registers itself
   * @param browser of its user; by default the user of the reference service
   */
  constructor(baseUrl: string, documentUrl?: string, browser = user(baseUrl)) {
    this.#browser = browser
    if (documentUrl !== undefined) this.clientMetadataUrl = documentUrl
  }

  clientInformation = () => this.#client
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.#client = client
  }
  tokens = () => this.#tokens
  saveTokens = (tokens: OAuthTokens) => {
    this.#tokens = tokens
  }
  discoveryState = () => this.#discovery
  saveDiscoveryState = (discovery: OAuthDiscoveryState) => {
    this.#discovery = discovery
  }
  codeVerifier = () => this.#verifier
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  redirectToAuthorization = async (url: URL) => {
    this.callback = (await this.#browser(url.href)).searchParams
  }

  /** What the redirect brought, as the SDK takes it. */
  get answer() {
    const [authorizationCode, iss] = ['code', 'iss'].map((name) => this.callback.get(name) ?? '')
    return { authorizationCode: authorizationCode ?? '', iss: iss ?? '' }
  }
}
