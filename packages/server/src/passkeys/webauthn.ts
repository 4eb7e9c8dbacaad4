/** The WebAuthn library, loaded at the first ceremony, because it contains many certificate parsers. */
export const webauthn = () => import('@simplewebauthn/server')
