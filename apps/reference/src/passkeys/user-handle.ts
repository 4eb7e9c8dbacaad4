import { createHash } from 'node:crypto'

/** Says nothing about the user to whoever finds the authenticator, and fits its 64 bytes (WebAuthn 14.6.1). */
export function userHandle(subject: string) {
  return Uint8Array.from(createHash('sha256').update(subject).digest())
}
