import type { Transport } from './transport.ts'

/** Where the server has its endpoints. A check whose endpoint is missing is skipped. */
export interface Endpoints {
  readonly token: string
  readonly authorization?: string | undefined
  readonly revocation?: string | undefined
  readonly introspection?: string | undefined
  readonly userinfo?: string | undefined
  readonly device?: string | undefined
  readonly endSession?: string | undefined
  readonly registration?: string | undefined
  /** What the server offers beyond what the run requests. */
  readonly scopes: readonly string[]
  readonly grantTypes: readonly string[]
}

/** The server gives no metadata, and no token endpoint is named. */
export class NoMetadata extends Error {
  override readonly name = 'NoMetadata'
}

const NAMES = {
  token: 'token_endpoint',
  authorization: 'authorization_endpoint',
  revocation: 'revocation_endpoint',
  introspection: 'introspection_endpoint',
  userinfo: 'userinfo_endpoint',
  device: 'device_authorization_endpoint',
  endSession: 'end_session_endpoint',
  registration: 'registration_endpoint',
} as const

export type NamedEndpoints = Partial<Record<keyof typeof NAMES, string | undefined>>

/**
 * Reads the metadata (RFC 8414, then OpenID Connect Discovery). What the operator names wins.
 *
 * @throws NoMetadata
 */
export async function findEndpoints(
  transport: Transport,
  issuer: string,
  named: NamedEndpoints = {},
): Promise<Endpoints> {
  const metadata = (await metadataOf(transport, issuer)) ?? {}
  const found = Object.entries(NAMES).map(([key, name]) => [key, textOf(metadata[name])])
  const chosen = Object.entries(named).filter(([, value]) => value !== undefined)
  const { token, ...others } = { ...Object.fromEntries(found), ...Object.fromEntries(chosen) }
  if (token === undefined)
    throw new NoMetadata(`No metadata at ${issuer}. Name the endpoints, such as --token-endpoint.`)
  const lists = {
    scopes: listOf(metadata.scopes_supported),
    grantTypes: listOf(metadata.grant_types_supported),
  }
  return { token, ...others, ...lists }
}

async function metadataOf(
  transport: Transport,
  issuer: string,
): Promise<Record<string, unknown> | undefined> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  for (const url of addresses) {
    const { answer } = await transport.send({ method: 'GET', url, headers: { accept: 'application/json' } })
    const document = answer?.status === 200 ? jsonOf(answer.body) : undefined
    if (document?.token_endpoint !== undefined) return document
  }
  return undefined
}

/** A JSON object. Anything else is `undefined`. */
export function jsonOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
