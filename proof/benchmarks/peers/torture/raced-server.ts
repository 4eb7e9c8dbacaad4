import type { Client, NamedEndpoints } from '../../../torture/src/index.ts'

/** How a peer keeps its records: as its documentation shows it, or as safely as its port allows. */
export type StoreKind = 'documented' | 'safest'

/** What the kit is told about a server. */
export interface RacedServer {
  readonly issuer: string
  readonly endpoints?: NamedEndpoints | undefined
  readonly clients: readonly Client[]
  readonly scope: readonly string[]
  /** Of a browser that is signed in. Default: every browser is. */
  readonly cookie?: string | undefined
  /** A URL that approves the device of its query, as its user. Default: nobody approves devices. */
  readonly approve?: string | undefined
  readonly register?: boolean | undefined
  readonly replicas?: readonly string[] | undefined
  close?(): Promise<void>
}

export type StartRaced = (port: number, store: string) => Promise<RacedServer>

/** What the kit sends to by default. Nothing listens there. */
export const CALLBACK = 'http://127.0.0.1:8765/callback'

/** Two public clients of the user: the second one tries what belongs to the first. */
export const PUBLIC_CLIENTS: readonly Client[] = [
  { id: 'app', method: 'none' },
  { id: 'other', method: 'none' },
]

/** The members of an authorization request (RFC 6749 section 4.1.1) that a code depends on. */
export interface Approval {
  readonly clientId: string
  readonly scope: string
  readonly challenge: string
  readonly nonce: string
}

/**
 * Answers an authorization request for a user who allows everything, for peers that leave the pages to the application.
 *
 * @returns the URL of the callback
 */
export async function approved(url: URL, newCode: (approval: Approval) => Promise<string>): Promise<string> {
  const sent = (name: string) => url.searchParams.get(name) ?? ''
  const approval = { clientId: sent('client_id'), scope: sent('scope') }
  const code = await newCode({ ...approval, challenge: sent('code_challenge'), nonce: sent('nonce') })
  const callback = new URL(sent('redirect_uri'))
  callback.searchParams.set('code', code)
  callback.searchParams.set('state', sent('state'))
  return callback.href
}
