/**
 * The guard of an API that has the store and not the authorization server: `createResourceServer` without the rest of core. It loads no
 * package. Its types are those of `@grantkit/core`, which load nothing.
 *
 * @module
 */

export { toAuthInfo } from './resource/access.ts'
export { mirroredMetadata } from './resource/resource-metadata.ts'
export { createResourceServer } from './resource/resource-server.ts'
