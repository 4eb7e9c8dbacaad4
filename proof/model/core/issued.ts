import type { IssuedTokens } from '../../../packages/core/src/grants/grant.ts'
import type { RefreshTokenSecret } from '../../../packages/core/src/grants/refresh-token-state.ts'
import type { AccessTokenState, Grant } from '../../../packages/core/src/kernel/records.ts'
import { type Hash, type Secret, sha256 } from '../../../packages/core/src/kernel/secrets.ts'
import { hasEnded } from './request.ts'
import { units } from './terms.ts'

const NONE = -1

/** A grant as the model writes it. Times are units, tokens are known by their ids. */
export type ModelGrant = Readonly<Record<string, unknown>>

type Pair = Pick<IssuedTokens, 'accessToken' | 'refreshToken'>

/** Which real tokens the ids of the model are. */
export class IssuedById {
  readonly #pairs = new Map<number, Pair>()
  readonly #ids = new Map<string, number>()

  /** A repeated answer must have the pair that it repeats. @throws Error otherwise */
  note(id: number, { accessToken, refreshToken }: Pair): void {
    const known = this.#pairs.get(id)
    if (known === undefined) this.#pairs.set(id, { accessToken, refreshToken })
    else if (known.accessToken !== accessToken || known.refreshToken?.secret !== refreshToken?.secret)
      throw new Error(`The answer has other tokens than the first one with the id ${id}`)
    this.#ids.set(sha256(accessToken), id)
    if (refreshToken) this.#ids.set(hashOf(refreshToken), id)
  }

  noteAccess(id: number, accessToken: Secret): void {
    this.#pairs.set(id, { accessToken })
    this.#ids.set(sha256(accessToken), id)
  }

  refreshToken(id: number): RefreshTokenSecret {
    const token = this.#pairs.get(id)?.refreshToken
    if (token === undefined) throw new Error(`No answer had the refresh token ${id}`)
    return token
  }

  /** One of the family; none before the first answer. */
  anyRefreshToken(): RefreshTokenSecret | undefined {
    return [...this.#pairs.values()].find(({ refreshToken }) => refreshToken)?.refreshToken
  }

  accessToken(id: number): Secret {
    const token = this.#pairs.get(id)?.accessToken
    if (token === undefined) throw new Error(`No answer had the access token ${id}`)
    return token
  }

  /** The record in the words of the model, without what the model does not have. */
  inModel(grant: Grant | undefined): ModelGrant | 'absent' {
    if (grant === undefined || hasEnded(grant)) return 'absent'
    const { code, refresh, accessTokens, expiresAt } = grant
    const { previous, generation = NONE, hash, shared = false, recent = [] } = refresh ?? {}
    return {
      phase: code?.redeemedAt === undefined ? 'open' : 'live',
      codeEnds: units(code?.expiresAt ?? 0),
      end: units(expiresAt),
      redeemedAt: code?.redeemedAt === undefined ? NONE : units(code.redeemedAt),
      gen: generation,
      id: this.#idOf(hash),
      ends: refresh ? units(refresh.expiresAt) : 0,
      previous: {
        id: this.#idOf(previous?.hash),
        at: previous ? units(previous.rotatedAt) : 0,
        ofShared: previous?.ofShared ?? false,
      },
      shared,
      recent: recent.map((entry) => ({ gen: entry.generation, at: units(entry.rotatedAt) })),
      access: sorted(accessTokens.map((token) => this.#accessInModel(token))),
    }
  }

  #accessInModel({ hash, expiresAt, parent }: AccessTokenState) {
    return { id: this.#idOf(hash), ends: units(expiresAt), parent: this.#idOf(parent) }
  }

  #idOf(hash: Hash | undefined): number | string {
    return hash === undefined ? NONE : (this.#ids.get(hash) ?? `unknown: ${hash}`)
  }
}

function hashOf({ family, generation, secret }: RefreshTokenSecret): string {
  return sha256(`${family}.${generation}.${secret}`)
}

/** A set of the model, in the order in which the sets of the record are compared. */
export function sorted<Entry extends { readonly id: number | string }>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((left, right) => Number(left.id) - Number(right.id))
}
