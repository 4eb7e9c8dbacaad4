import { createHash } from 'node:crypto'

/** Reveals nothing about the user to a finder of the authenticator, and fits its 64 bytes (WebAuthn 14.6.1). */
export function userHandle(subject: string) {
  return Uint8Array.from(createHash('sha256').update(subject).digest())
}
