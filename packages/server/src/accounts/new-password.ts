/** The rules of a new password, on pages and in commands. */

const MIN_CHARACTERS = 8
/** No person types more, and a password manager makes far less: a longer text only costs time. */
const MAX_CHARACTERS = 1000

/** What is wrong with a new password, as a sentence; `undefined` if nothing is. Counts characters as they are hashed. */
export function newPasswordProblem(password: string): string | undefined {
  const { length } = [...password.normalize('NFKC')]
  if (length < MIN_CHARACTERS) return `The password must have at least ${MIN_CHARACTERS} characters.`
  if (length > MAX_CHARACTERS) return `The password must have at most ${MAX_CHARACTERS} characters.`
  if (hasControlCharacter(password)) return 'A password must not contain control characters.'
  return undefined
}

export function hasControlCharacter(password: string): boolean {
  return /\p{Cc}/u.test(password)
}
