/** The library of WebAuthn, loaded at the first ceremony: it brings parsers for every kind of certificate. */
export const webauthn = () => import('@simplewebauthn/server')
