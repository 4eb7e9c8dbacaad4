import { createHash } from 'node:crypto'

/** Reveals nothing about the user to a finder of the authenticator, and fits its 64 bytes (WebAuthn 14.6.1). */
export function userHandle(subject: string) {
  return Uint8Array.from(createHash('sha256').update(subject).digest())
}

/** The WebAuthn library, loaded at the first ceremony, because it contains many certificate parsers. */
export const webauthn = () => import('@simplewebauthn/server')
