import type { CheckId } from '../check-id.ts'
import type { Limits } from '../client/budget.ts'
import type { Client } from '../client/client-authentication.ts'
import type { HostRules } from '../client/hosts.ts'
import type { NamedEndpoints } from '../client/metadata.ts'
import type { DeviceAuthorization } from '../grants/device.ts'
import type { Declared } from '../history/declared.ts'

/** What to race, and how. Only `issuer` and a way to grants are necessary. */
export interface TortureOptions {
  readonly issuer: string
  /** Clients of the server: the first acts, the second tries what belongs to the first. Default: one is registered. */
  readonly clients?: readonly Client[] | undefined
  /** Registers a client where `clients` is empty (RFC 7591). Default: false. */
  readonly register?: boolean | undefined
  /** Clients prove possession of a key (RFC 9449): their own, or a new one. Default: false. */
  readonly dpop?: boolean | undefined
  /** Endpoints that the metadata do not name. `userinfo` is the resource that tokens are used at. */
  readonly endpoints?: NamedEndpoints | undefined
  /** Default: `openid offline_access`, or what the server offers of them. */
  readonly scope?: readonly string[] | undefined
  /** Default: `http://127.0.0.1:8765/callback`. Nothing listens there. */
  readonly redirectUri?: string | undefined

  /** Way to grants: the cookies of a session that is signed in. */
  readonly cookie?: string | undefined
  /** Way to grants: what the user types into the sign-in form, by the name of the field. */
  readonly typed?: Readonly<Record<string, string>> | undefined
  /** Way to grants: gets the URL of the authorization request, and gives the URL of the callback. */
  readonly authorize?: ((url: string) => Promise<string>) | undefined
  /** Way to grants: refresh tokens, each of a grant of its own. */
  readonly tokens?: readonly string[] | undefined
  /** Way to grants: approves a device. */
  readonly approve?: ((device: DeviceAuthorization) => Promise<void>) | undefined
  /** Takes an approval back: gets the URL of the callback, or the user code of a device. */
  readonly deny?: ((what: string) => Promise<void>) | undefined

  /** Base URLs of replicas. Requests keep the `Host` and the TLS name of the issuer. */
  readonly replicas?: readonly string[] | undefined
  /** Ends the server, and starts it again. */
  readonly crash?: (() => Promise<void>) | undefined
  /** Sets the clock of a replica. */
  readonly clock?: (() => Promise<void>) | undefined

  /** What the server does on purpose. */
  readonly declared?: Partial<Declared> | undefined
  /** How long codes live, in seconds. Default: 60. */
  readonly codeSeconds?: number | undefined
  /** Waits until codes and tokens expire. Default: false. */
  readonly slow?: boolean | undefined

  /** Default: all. */
  readonly only?: readonly CheckId[] | undefined
  /** Makes every choice again. Default: a new one. */
  readonly seed?: number | undefined
  readonly limits?: Partial<Limits> | undefined
  readonly hosts?: HostRules | undefined
  /** Other arguments for the command that a finding shows, without secrets. Default: none. */
  readonly rerunArguments?: readonly string[] | undefined
  /** How long a request may take, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined
}
