/** The rules of a new password, on pages, in commands and in the admin API. */

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

export function hasControlCharacter(password: string): boolean {
  return /\p{Cc}/u.test(password)
}
