import dns from 'node:dns'
import { isIP } from 'node:net'
import { promisify } from 'node:util'

/** What a name server says: addresses of both families, or nothing for ever. */
export type NameAnswer = readonly string[] | 'silence'

type Callback = (error: Error | null, ...found: unknown[]) => void

/** The names of the test, and the functions of `node:dns` that find them. */
export class Names {
  /** Every name that was looked up, with the address family: `app.dev 4`. */
  readonly lookedUp: string[] = []
  readonly #zone = new Map<string, NameAnswer[]>()
  #waiting: ((error: Error) => void)[] = []

  /** Further answers are for those who ask once more; the last one stays. */
  set(name: string, ...answers: NameAnswer[]): void {
    this.#zone.set(name, answers)
  }

  forget(): void {
    this.lookedUp.length = 0
    this.#zone.clear()
    this.cancel()
  }

  /** Questions without an answer fail. */
  cancel(): void {
    for (const reject of this.#waiting.splice(0)) reject(nameError('ECANCELLED', 'a name'))
  }

  /** What takes the place of what, in both styles of `node:dns`. */
  functions(): [owner: object, functions: object][] {
    const promised = {
      lookup: (name: string, options: unknown) => this.#lookup(name, options),
      resolve: (name: string, type = 'A') => this.#resolve(name, type === 'AAAA' ? 6 : 4),
      resolve4: (name: string) => this.#resolve(name, 4),
      resolve6: (name: string) => this.#resolve(name, 6),
    }
    const { lookup: _, ...resolver } = promised
    const cancel = () => this.cancel()
    return [
      [dns, calledBack(promised)],
      [dns.promises, promised],
      [dns.Resolver.prototype, { ...calledBack(resolver), cancel }],
      [dns.promises.Resolver.prototype, { ...resolver, cancel }],
    ]
  }

  async #lookup(name: string, options: unknown) {
    const { family = 0, all = false } = typeof options === 'object' ? (options as dns.LookupOptions) : {}
    const found = isIP(name) === 0 ? await this.#answer(name, 'lookup') : [name]
    const wanted = found
      .map((address) => ({ address, family: isIP(address) }))
      .filter((one) => !family || one.family === family)
    if (wanted[0] === undefined) throw nameError('ENOTFOUND', name)
    return all ? wanted : wanted[0]
  }

  async #resolve(name: string, family: number): Promise<string[]> {
    const found = (await this.#answer(name, String(family))).filter((address) => isIP(address) === family)
    if (found.length === 0) throw nameError('ENODATA', name)
    return found
  }

  async #answer(name: string, question: string): Promise<readonly string[]> {
    const before = this.lookedUp.filter((one) => one === `${name} ${question}`).length
    this.lookedUp.push(`${name} ${question}`)
    const answers = this.#zone.get(name) ?? []
    const answer = answers[Math.min(before, answers.length - 1)]
    if (answer === undefined) throw nameError('ENOTFOUND', name)
    if (answer !== 'silence') return answer
    return new Promise((_, reject) => void this.#waiting.push(reject))
  }
}

/** The same functions, for callers that pass a callback. */
function calledBack(functions: Record<string, (...given: never[]) => Promise<unknown>>): object {
  return Object.fromEntries(
    Object.entries(functions).map(([name, ask]) => {
      const call = (...given: unknown[]) => {
        const callback = given.pop() as Callback
        ask(...(given as never[])).then((found) => callback(null, ...asArguments(found)), callback)
      }
      return [name, Object.assign(call, { [promisify.custom]: ask })]
    }),
  )
}

function asArguments(found: unknown): unknown[] {
  const isOneAddress = typeof found === 'object' && found !== null && 'address' in found
  return isOneAddress ? Object.values(found) : [found]
}

function nameError(code: string, name: string): Error {
  return Object.assign(new Error(`${code} ${name}`), { code })
}
