/** The parts of jose that are loaded with the first signature. Named one by one: a bundler keeps all of a package that is imported by `import()`. */
export { createLocalJWKSet, errors, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
