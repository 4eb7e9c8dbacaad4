import type { Config } from '../config/config.ts'
import { hasControlCharacter } from './password-hashes.ts'

/** No person types more, and a password manager makes far less: a longer text only costs time. */
const MAX_CHARACTERS = 1000

/** Whose password it will be. */
interface PasswordOwner {
  readonly email?: string | undefined
  readonly name?: string | undefined
}

/**
 * The rules of a new password, on pages, in commands and in the admin API. A sign-in knows none of them: who has an older
 * password can sign in.
 */
export interface PasswordRules {
  readonly minLength: number
  /** What is wrong with a new password. `undefined`: nothing is. */
  broken(password: string, owner: PasswordOwner): Promise<BrokenRule | undefined>
}

interface BrokenRule {
  readonly rule: 'tooShort' | 'tooLong' | 'controlCharacters' | 'ofOwner' | 'common'
  /** Of characters, at least or at most. */
  readonly count?: number
  /** For an operator: the end of a sentence that begins with "The password". */
  readonly words: string
}

/** Words of the service are as easy to guess for its attackers as the commonest passwords. */
export function passwordRules({
  baseUrl,
  brand,
  passwordMinLength: minLength,
}: Pick<Config, 'baseUrl' | 'brand' | 'passwordMinLength'>): PasswordRules {
  const { hostname } = new URL(baseUrl)
  const ofService = [brand.name, hostname, ...hostname.split('.')]
  return {
    minLength,
    async broken(password, { email = '', name = '' }) {
      const text = password.normalize('NFKC')
      // As they are hashed.
      const { length } = [...text]
      if (length < minLength)
        return { rule: 'tooShort', count: minLength, words: `must have at least ${minLength} characters` }
      if (length > MAX_CHARACTERS)
        return {
          rule: 'tooLong',
          count: MAX_CHARACTERS,
          words: `must have at most ${MAX_CHARACTERS} characters`,
        }
      if (hasControlCharacter(password))
        return { rule: 'controlCharacters', words: 'must not contain control characters' }
      const words = [
        ...ofService,
        email,
        ...email.split('@'),
        name,
        ...name.split(' '),
        name.replaceAll(' ', ''),
      ]
      if (words.some((word) => comparable(word) === comparable(text)))
        return {
          rule: 'ofOwner',
          words: 'must not be your name, your e-mail address or the name of this service',
        }
      return (await isCommon(comparable(text)))
        ? { rule: 'common', words: 'must not be one of the most common passwords, which attackers try first' }
        : undefined
    },
  }
}

/** NIST SP 800-63B-4, 3.1.1.2: commonly used ones, and no huge list. */
const MAX_COMMON = 10_000
const MIN_COMMON_LENGTH = 8
let common: Promise<ReadonlySet<string>> | undefined

async function isCommon(password: string): Promise<boolean> {
  common ??= commonPasswords()
  return (await common).has(password)
}

/** Loaded with the first new password. The dictionary begins with the commonest. */
async function commonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const long = dictionary['passwords-common'].filter(({ length }) => length >= MIN_COMMON_LENGTH)
  return new Set(long.slice(0, MAX_COMMON))
}

function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** A hash holds a thread of libuv for a tenth of a second, and there are four; ID tokens are signed on the others. */
const AT_A_TIME = 2
const MAX_WAITING = 50
const MAX_WAITING_OF_ONE = 40

/**
 * The queue of password checks. Hashing a password is slow on purpose, so many sign-ins at once must not delay all
 * others. The places are shared out, so that one caller cannot take them all: those who wait have turns one after
 * another, and a full queue takes the newest place of the one with the most.
 */
export interface PasswordChecks {
  /**
   * @param holder who takes a place: the network of a caller, or the account of an authenticated user
   * @returns `undefined` if there was no place, or another holder got it: nothing was checked, the caller may retry later
   */
  inTurn<T>(holder: string, check: () => Promise<T>): Promise<T | undefined>
  /** The same for what can wait until another day. @returns `undefined` if somebody waits: nothing was done */
  whenFree<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Resolves when no check runs or waits. */
  idle(): Promise<void>
}

/** For users whose passwords this process does not hash. */
export const WITHOUT_QUEUE: PasswordChecks = {
  inTurn: (_, check) => check(),
  whenFree: (work) => work(),
  idle: async () => {},
}

export function passwordChecks(): PasswordChecks {
  /** By holder. The first check of the first holder is the next one. */
  const waiting = new Map<string, Start[]>()
  const watching: (() => void)[] = []
  let running = 0
  let places = 0

  function turnOf(holder: string): Promise<boolean> {
    const own = waiting.get(holder) ?? []
    if (running < AT_A_TIME) {
      running++
      return Promise.resolve(true)
    }
    if (own.length >= MAX_WAITING_OF_ONE) return Promise.resolve(false)
    if (places >= MAX_WAITING && !takesPlaceOfAnother(own.length)) return Promise.resolve(false)
    places++
    waiting.set(holder, own)
    return new Promise((start) => own.push(start))
  }

  function takesPlaceOfAnother(own: number): boolean {
    const [fullest = []] = [...waiting.values()].sort((a, b) => b.length - a.length)
    if (fullest.length <= own + 1) return false
    places--
    fullest.pop()?.(false)
    return true
  }

  function startNext(): void {
    const [next] = waiting
    if (next === undefined) return
    const [holder, [start, ...others]] = next
    // The holder has its next turn after all others.
    waiting.delete(holder)
    if (others.length > 0) waiting.set(holder, others)
    places--
    running++
    start?.(true)
  }

  async function inTurn<T>(holder: string, check: () => Promise<T>): Promise<T | undefined> {
    if (!(await turnOf(holder))) return undefined
    try {
      return await check()
    } finally {
      running--
      startNext()
      if (running === 0) for (const resolve of watching.splice(0)) resolve()
    }
  }

  return {
    inTurn,
    whenFree: async (work) => (places === 0 ? inTurn('', work) : undefined),
    idle: async () => {
      if (running > 0) await new Promise<void>((resolve) => watching.push(resolve))
    },
  }
}

/** @param hasTurn `false`: it lost its place */
type Start = (hasTurn: boolean) => void
