/** An operator looked at a sign-in attempt, or at the latest ones of a user. */
export interface AttemptRead {
  readonly type: 'attempt_read'
  readonly reference?: string | undefined
  /** The user whose attempt it is, if one signed in. */
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
}
