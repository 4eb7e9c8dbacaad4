import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const COST = { N: 2 ** 15, r: 8, p: 1 }
export const KEY_LENGTH = 32
const derive = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  length: number,
  options: object,
) => Promise<Buffer>

/**
 * `scrypt$N$r$p$salt$key`, salt and key in base64url. The hash contains its cost, so the cost can be raised later.
 *
 * @throws Error when the password holds a control character
 */
export async function hashPassword(password: string): Promise<string> {
  if (hasControlCharacter(password)) throw new Error('A password must not contain control characters.')
  const salt = randomBytes(16)
  const key = await scryptKey(password, salt, COST)
  return hashOf(salt, key)
}

/** The text of a hash with the current cost. */
export function hashOf(salt: Buffer, key: Buffer): string {
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** @param hash made by `hashPassword` */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  // scrypt begins with HMAC, which pads a short key with NULs (RFC 2104 2): a password with NULs after it has its hash.
  if (hasControlCharacter(password)) return false
  const [, N, r, p, salt = '', key = ''] = hash.split('$')
  const expected = Buffer.from(key, 'base64url')
  const actual = await scryptKey(password, Buffer.from(salt, 'base64url'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  })
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function scryptKey(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  return derive(password.normalize('NFKC'), salt, KEY_LENGTH, { ...cost, maxmem: 256 * cost.N * cost.r })
}

// The rules of a new password, on pages, in commands and in the admin API.

const MIN_CHARACTERS = 8
/** No person types more, and a password manager makes far less: a longer text only costs time. */
const MAX_CHARACTERS = 1000

export const PASSWORD_RULE = `${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters, without control characters`

/** What is wrong with a new password, as a sentence; `undefined` if nothing is. */
export function newPasswordProblem(password: string): string | undefined {
  const broken = brokenPasswordRule(password)
  return broken && `The password ${broken}.`
}

/** The end of such a sentence. Counts characters as they are hashed. */
export function brokenPasswordRule(password: string): string | undefined {
  const { length } = [...password.normalize('NFKC')]
  if (length < MIN_CHARACTERS) return `must have at least ${MIN_CHARACTERS} characters`
  if (length > MAX_CHARACTERS) return `must have at most ${MAX_CHARACTERS} characters`
  return hasControlCharacter(password) ? 'must not contain control characters' : undefined
}

function hasControlCharacter(password: string): boolean {
  return /\p{Cc}/u.test(password)
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
}

/** For users whose passwords this process does not hash. */
export const WITHOUT_QUEUE: PasswordChecks = { inTurn: (_, check) => check() }

export function passwordChecks(): PasswordChecks {
  /** By holder. The first check of the first holder is the next one. */
  const waiting = new Map<string, Start[]>()
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

  return {
    async inTurn(holder, check) {
      if (!(await turnOf(holder))) return undefined
      try {
        return await check()
      } finally {
        running--
        startNext()
      }
    },
  }
}

/** @param hasTurn `false`: it lost its place */
type Start = (hasTurn: boolean) => void
