/** In seconds. No user allows the token again, and its issuer cannot end it, so it is short. */
export const MAX_LIFETIME = 3600

/** A lifetime option. @throws Error that names it */
export function lifetimeOf(
  option: string,
  name: string,
  seconds: number | undefined,
  byDefault: number,
): number {
  const value = seconds ?? byDefault
  if (!Number.isInteger(value) || value < 1 || value > MAX_LIFETIME)
    throw new Error(`${option}: ${name} must be a whole number of seconds, at most ${MAX_LIFETIME}`)
  return value
}
