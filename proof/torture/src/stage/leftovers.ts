import type { Attempt, Outcome } from '../bursts/attempt.ts'
import type { Client } from '../client/client-authentication.ts'

interface Leftover {
  readonly client: Client
  readonly token: string
}

/** The last token of each grant that the run did not end. */
export class Leftovers {
  readonly #byFamily = new Map<string, Leftover>()

  note({ f, family, client }: Attempt, { operation, tokens }: Outcome): void {
    const token = tokens.refresh ?? tokens.access
    if (client !== undefined && token !== undefined && f !== 'exchange')
      this.#byFamily.set(family, { client, token })
    if (f === 'revoke' && operation.result === 'ok') this.#byFamily.delete(family)
  }

  /** Takes them out. */
  takeAll(): readonly Leftover[] {
    const all = [...this.#byFamily.values()]
    this.#byFamily.clear()
    return all
  }
}
