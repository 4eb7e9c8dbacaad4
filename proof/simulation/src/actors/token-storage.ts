import type { Tokens } from '../history/read-answer.ts'

/** The tokens of an app, in a storage that its processes share. */
export class TokenStorage {
  readonly #accessTokens: string[] = []
  readonly #firstSent = new Map<string, number>()
  #refresh: string | undefined
  exchanged: string | undefined

  get refresh(): string | undefined {
    return this.#refresh
  }

  /** The newest first. */
  get accessTokens(): readonly string[] {
    return this.#accessTokens
  }

  /** Answers may overtake each other: the newest tokens stay. */
  keep({ access, refresh }: Tokens): void {
    if (refresh === undefined || access === undefined) return
    const isNewer = this.#refresh === undefined || generationOf(refresh) > generationOf(this.#refresh)
    if (isNewer) this.#refresh = refresh
    if (isNewer) this.#accessTokens.unshift(access)
  }

  /** When the token was sent for the first time; now, if it was not. */
  firstSent(refresh: string, now: number): number {
    const first = this.#firstSent.get(refresh) ?? now
    this.#firstSent.set(refresh, first)
    return first
  }
}

function generationOf(refresh: string): number {
  return Number(refresh.split('.')[2])
}
